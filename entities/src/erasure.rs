//! What an account leaves in the database, and its erasure (docs/operations.md): rows about it alone go, and rows that are
//! part of a guild's history get a pseudonym instead of its id. Bans, mutes and flags in force stay, because without
//! the id they would bind nobody.

pub mod audit;
pub mod nicknames;

use sea_orm::{DatabaseBackend, Statement, Value};

use crate::some_rows::some_rows;
use crate::{Conn, Result, Subject};

/// One column that may hold the account's id.
pub struct Place {
    pub table: &'static str,
    pub column: &'static str,
    of: Of,
    pub fate: Fate,
    /// Only rows that fulfil this.
    only: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Of {
    Chat,
    Play,
    /// Moderators: a number of fewer than 17 digits is a game id.
    Either,
    /// The id as text.
    Target,
    /// A JSON list of game ids.
    Players,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Deleted,
    /// The id goes from a list, whose row stays.
    Unlisted,
    /// The id, and these columns: what was said about the account.
    Pseudonym(&'static str),
    Kept,
}

use Fate::{Deleted, Kept, Pseudonym, Unlisted};
use Of::{Chat, Either, Play, Players, Target};

const fn place(table: &'static str, column: &'static str, of: Of, fate: Fate) -> Place {
    Place { table, column, of, fate, only: "1 = 1" }
}

const fn only(only: &'static str, place: Place) -> Place {
    Place { only, ..place }
}

const ENDED: &str = "lifted_at IS NOT NULL";
const IN_FORCE: &str = "lifted_at IS NULL";
const PLAYER_IN_FORCE: &str = "lifted_at IS NULL AND chat_id IS NULL";

macro_rules! banned {
    () => {
        "EXISTS (SELECT 1 FROM sanction WHERE sanction.guild_id = chat_ban.guild_id \
         AND sanction.mirror_chat_id = chat_ban.chat_id AND sanction.lifted_at IS NULL)"
    };
}
const BANNED: &str = banned!();
const NOT_BANNED: &str = concat!("NOT ", banned!());

/// In the order in which they are erased. Links and staff members end before, like those that staff end.
pub const PLACES: [Place; 51] = [
    place("account", "chat_id", Chat, Deleted),
    place("account", "play_id", Play, Deleted),
    place("link", "chat_id", Chat, Deleted),
    place("link", "play_id", Play, Deleted),
    place("link_attempt", "chat_id", Chat, Deleted),
    place("link_attempt", "play_id", Play, Deleted),
    place("link_attempt", "decided_by", Chat, Pseudonym("")),
    place("import", "made_by", Chat, Pseudonym("")),
    place("console_session", "user_id", Chat, Deleted),
    place("console_link", "user_id", Chat, Deleted),
    place("console_operator", "user_id", Chat, Deleted),
    place("staff_member", "chat_id", Chat, Deleted),
    place("staff_note", "staff_id", Chat, Deleted),
    place("staff_note", "author_id", Chat, Pseudonym("")),
    place("loa", "staff_id", Chat, Deleted),
    place("leave_request", "staff_id", Chat, Deleted),
    place("leave_request", "decided_by", Chat, Pseudonym("")),
    place("job_failure", "chat_id", Chat, Deleted),
    place("screened_member", "chat_id", Chat, Deleted),
    only(BANNED, place("chat_ban", "chat_id", Chat, Kept)),
    only(NOT_BANNED, place("chat_ban", "chat_id", Chat, Deleted)),
    only(IN_FORCE, place("sanction", "chat_id", Chat, Kept)),
    only(IN_FORCE, place("sanction", "play_id", Play, Kept)),
    only(PLAYER_IN_FORCE, place("sanction", "mirror_chat_id", Chat, Kept)),
    only(ENDED, place("sanction", "mirror_chat_id", Chat, Pseudonym(""))),
    only(ENDED, place("sanction", "chat_id", Chat, Pseudonym(", reason = 'erased', lift_reason = NULL"))),
    only(ENDED, place("sanction", "play_id", Play, Pseudonym(", reason = 'erased', lift_reason = NULL"))),
    place("sanction", "moderator_id", Either, Pseudonym("")),
    place("sanction", "lifted_by", Either, Pseudonym("")),
    only(IN_FORCE, place("shield_flag", "play_id", Play, Kept)),
    only(
        ENDED,
        place(
            "shield_flag",
            "play_id",
            Play,
            Pseudonym(", play_username = 'erased', reason = 'erased', lifted_reason = NULL"),
        ),
    ),
    place("shield_flag", "flagged_by", Either, Pseudonym("")),
    place("shield_flag", "lifted_by", Either, Pseudonym("")),
    place("strike", "staff_id", Chat, Pseudonym(", reason = 'erased'")),
    place("strike", "issued_by", Chat, Pseudonym("")),
    place("staff_session", "staff_id", Chat, Pseudonym("")),
    place("staff_session", "play_id", Play, Pseudonym("")),
    place("staff_session_sum", "staff_id", Chat, Pseudonym("")),
    place("staff_action", "staff_id", Either, Pseudonym("")),
    place("staff_action", "target_id", Target, Pseudonym(", details = '{}'")),
    place("pending_action", "staff_id", Either, Pseudonym("")),
    place("pending_action", "decided_by", Chat, Pseudonym("")),
    place("application_comment", "chat_id", Chat, Deleted),
    place("application_comment", "author_id", Chat, Pseudonym("")),
    // Nobody decides about it any more.
    place(
        "application_submission",
        "chat_id",
        Chat,
        Pseudonym(
            ", answers = '{}', decision_reason = NULL, decided_at = coalesce(decided_at, created_at), \
             state = CASE WHEN state = 'open' THEN 'refused' ELSE state END",
        ),
    ),
    place("application_submission", "decided_by", Chat, Pseudonym("")),
    place("game_server", "players", Players, Unlisted),
    place("server_command", "issued_by", Either, Pseudonym("")),
    place("server_command", "target_id", Target, Pseudonym(", reason = 'erased', ack_message = NULL")),
    place("api_key", "owner_id", Chat, Pseudonym("")),
    place("job_pause", "paused_by", Chat, Pseudonym("")),
];

impl Place {
    /// The id as the column has it; `None`: the column holds no such accounts.
    fn value(&self, account: Subject) -> Option<Value> {
        match (self.of, account) {
            (Chat | Either, Subject::Chat(id)) => Some(id.get().into()),
            (Play | Either | Players, Subject::Play(id)) => Some(id.get().into()),
            (Target, account) => Some(account.to_string().into()),
            _ => None,
        }
    }

    /// The condition on rows with the id `$1`.
    fn names(&self, backend: DatabaseBackend) -> String {
        let Self { column, only, .. } = self;
        match (self.of, backend) {
            (Players, DatabaseBackend::Postgres) => format!("{column} @> to_jsonb($1::bigint) AND {only}"),
            (Players, _) => {
                format!("EXISTS (SELECT 1 FROM json_each({column}) WHERE value = $1) AND {only}")
            }
            _ => format!("{column} = $1 AND {only}"),
        }
    }

    pub async fn count(&self, conn: &impl Conn, account: Subject) -> Result<u64> {
        let Some(id) = self.value(account) else { return Ok(0) };
        let (table, backend) = (self.table, conn.get_database_backend());
        let names = self.names(backend);
        let sql = format!("SELECT CAST(count(*) AS bigint) AS rows FROM {table} WHERE {names}");
        let statement = Statement::from_sql_and_values(backend, sql, [id]);
        let rows =
            conn.query_one_raw(statement).await?.map_or(Ok(0), |row| row.try_get::<i64>("", "rows"))?;
        Ok(rows.unsigned_abs())
    }

    /// Erases the id from up to `limit` rows, and returns their number.
    pub async fn erase(
        &self,
        conn: &impl Conn,
        account: Subject,
        pseudonym: Subject,
        limit: u64,
    ) -> Result<u64> {
        let (Some(id), Some(new)) = (self.value(account), self.value(pseudonym)) else { return Ok(0) };
        let Self { table, column, .. } = self;
        let backend = conn.get_database_backend();
        let some = some_rows(backend, table, &self.names(backend), limit);
        let (sql, values) = match self.fate {
            Kept => return Ok(0),
            Deleted => (format!("DELETE FROM {table} WHERE {some}"), vec![id]),
            Unlisted => {
                let others = match backend {
                    DatabaseBackend::Postgres => format!(
                        "coalesce(jsonb_agg(id), '[]') FROM jsonb_array_elements({column}) AS id \
                         WHERE id <> to_jsonb($1::bigint)"
                    ),
                    _ => format!("json_group_array(value) FROM json_each({column}) WHERE value <> $1"),
                };
                (format!("UPDATE {table} SET {column} = (SELECT {others}) WHERE {some}"), vec![id])
            }
            Pseudonym(more) => {
                (format!("UPDATE {table} SET {column} = $2{more} WHERE {some}"), vec![id, new])
            }
        };
        let statement = Statement::from_sql_and_values(backend, sql, values);
        Ok(conn.execute_raw(statement).await?.rows_affected())
    }
}
