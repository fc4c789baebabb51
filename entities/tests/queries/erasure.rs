//! The places of an erased account, against the schema.

use entities::erasure::{Fate, PLACES};
use sea_orm::{ConnectionTrait, DbBackend, Statement};

use crate::fixture::{Fixture, both_databases};

/// Columns that may look like a person or like a text about one, and why they are none that an erasure looks for: a name in
/// all tables, `table.name`, or all of a table.
const OTHERS: [(&str, &str); 9] = [
    (
        "ids of other things",
        "guild_id role_id group_id group_role_id place_id universe_id server_id session_id job_id mirror_job_id parent_id \
         key_id public_id parent request_id event_id entry_id channel_id category_id panel_id submission_id ticket_id \
         comment_id action_id pending_id attempt_id audit_id binding_id command_id failure_id flag_id import_id \
         leave_request_id loa_id note_id pause_id quota_id sanction_id strike_id webhook_id accept_role_id staff_role_ids",
    ),
    (
        "a word of the service",
        "kind class state chain action action_type ack_status ended_how lifted_how mirror_state metric period scopes \
         permissions play_permissions events news audit_entry.source follow_budget.budget follow.stopped",
    ),
    (
        "a setting of the guild",
        "guild.* role_name scope_role nickname_template questions api_key.name quota.name registered_game.name \
         application_panel.name webhook.url webhook.secret webhook.old_secret",
    ),
    (
        "of the processes and commands",
        "worker.* api_process.* guild_import.placed leader_lease.* schedule.* gateway_shard.* job_pause.reason",
    ),
    ("the user of the operating system", "console_operator.added_by"),
    ("said by a platform or the name of a list", "sanction.mirror_error shield_flag.source"),
    (
        "erased by `erasure::audit` and `erasure::nicknames`",
        "audit_entry.actor_id audit_entry.target_id audit_entry.metadata",
    ),
    ("goes with the link", "synced_member.*"),
    ("goes by itself (docs/operations.md 5)", "job.* idempotency.* change_log.* import.made"),
];

struct Column {
    table: String,
    name: String,
    is_text: bool,
}

impl Column {
    fn names_somebody(&self) -> bool {
        self.name.ends_with("_id") || self.name.ends_with("_by")
    }

    fn is_erased(&self) -> bool {
        let mut of_table = PLACES.iter().filter(|place| place.table == self.table);
        of_table.any(|place| match place.fate {
            _ if place.column == self.name => true,
            // The row goes with what it says, but not with other people's rows.
            Fate::Deleted => !self.names_somebody(),
            Fate::Pseudonym(more) => more.contains(&format!(", {} = ", self.name)),
            Fate::Unlisted | Fate::Kept => false,
        })
    }

    fn is_meant_by(&self, word: &str) -> bool {
        match word.split_once('.') {
            None => word == self.name,
            Some((table, name)) => table == self.table && (name == "*" || name == self.name),
        }
    }
}

/// All that may hold an account or a text.
async fn columns(fixture: &Fixture) -> Vec<Column> {
    let backend = fixture.conn().get_database_backend();
    let sql = match backend {
        DbBackend::Sqlite => {
            "SELECT m.name AS of_table, p.name AS name, lower(p.type) AS kind
             FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS p WHERE m.type = 'table'"
        }
        _ => {
            "SELECT table_name::text AS of_table, column_name::text AS name, data_type::text AS kind
             FROM information_schema.columns WHERE table_schema = current_schema()"
        }
    };
    let rows = fixture.conn().query_all_raw(Statement::from_string(backend, sql)).await.unwrap();
    let column = |row: &sea_orm::QueryResult| {
        let text = |name: &str| row.try_get::<String>("", name).unwrap();
        let is_text = ["text", "json", "jsonb"].contains(&text("kind").as_str());
        Column { table: text("of_table"), name: text("name"), is_text }
    };
    rows.iter().map(column).filter(|column| column.is_text || column.names_somebody()).collect()
}

both_databases! {
    async fn each_column_is_erased_or_is_about_nobody(fixture: &Fixture) {
        let columns = columns(fixture).await;
        assert!(columns.len() > 100, "{}", columns.len());
        let words: Vec<&str> = OTHERS.iter().flat_map(|(_, words)| words.split_whitespace()).collect();
        let missed: Vec<String> = columns
            .iter()
            .filter(|column| !column.is_erased() && !words.iter().any(|word| column.is_meant_by(word)))
            .map(|column| format!("{}.{}", column.table, column.name))
            .collect();
        assert!(missed.is_empty(), "neither in `PLACES` nor in `OTHERS`: {missed:?}");
        let idle: Vec<_> =
            words.iter().filter(|word| !columns.iter().any(|column| column.is_meant_by(word))).collect();
        assert!(idle.is_empty(), "no column is meant by {idle:?}");
    }
}
