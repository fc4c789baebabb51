//! The deletion of a guild: every table with its rows follows it.

use std::collections::BTreeSet;

use entities::guild::import::{self, Placed};
use entities::guild::{self as guilds, removal};
use entities::staff_session::NewSession;
use entities::{
    Page, RoleList, SessionId, audit_chain, follow, guild_figures, link, loa, retention, shield_flag,
    staff_action, staff_session, strike,
};
use sea_orm::{ConnectionTrait, DatabaseBackend, DbErr, Statement};

use crate::fixture::{Fixture, at, both_databases, chat, guild, other_guild, place, play};

/// Tables with a column `guild_id`; and pairs of a table and another whose deleted rows cascade to it.
const ON_SQLITE: [&str; 2] = [
    "SELECT m.name, '' FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c ON c.name = 'guild_id'
     WHERE m.type = 'table'",
    "SELECT m.name, f.\"table\" FROM sqlite_master AS m JOIN pragma_foreign_key_list(m.name) AS f
     ON f.\"from\" = 'guild_id' AND f.on_delete = 'CASCADE'",
];
const ON_POSTGRES: [&str; 2] = [
    "SELECT table_name::text, '' FROM information_schema.columns
     WHERE table_schema = current_schema() AND column_name = 'guild_id'",
    "SELECT conrelid::regclass::text, confrelid::regclass::text FROM pg_constraint
     JOIN pg_attribute ON attrelid = conrelid AND attnum = ANY (conkey)
     WHERE contype = 'f' AND confdeltype = 'c' AND attname = 'guild_id'",
];

/// Rows that are due for a sweep, or old.
const DUE: [&str; 6] = [
    "INSERT INTO loa (guild_id, staff_id, starts_at, ends_at, reason, status, created_at)
     VALUES (7000000000000000000, 1, '2026-04-12T18:33:21+00:00', '2026-04-13T18:33:21+00:00', 'r', 'active',
     '2026-04-12T18:33:21+00:00')",
    "INSERT INTO strike (guild_id, staff_id, reason, severity, issued_by, created_at, expires_at)
     VALUES (7000000000000000000, 1, 'r', 1, 1, '2026-04-12T18:33:21+00:00', '2026-04-13T18:33:21+00:00')",
    "INSERT INTO follow (guild_id, brake_percent, due_at, changed, quiet, failures, unbraked)
     VALUES (7000000000000000000, 10, '2026-04-12T18:33:21+00:00', 0, 0, 0, false)",
    "INSERT INTO sanction (guild_id, kind, play_id, reason, moderator_id, created_at, lifted_at, lifted_how,
     mirror_state, revision) VALUES (7000000000000000000, 'mute', 1, 'r', 1, '2026-04-12T18:33:21+00:00',
     '2026-04-13T18:33:21+00:00', 'lifted', 'none', 1)",
    "INSERT INTO audit_entry (guild_id, action, source, actor_id, target_id, metadata, created_at)
     VALUES (7000000000000000000, 'loa.expire', 'service', 0, '1', '{}', '2026-04-12T18:33:21+00:00')",
    "INSERT INTO staff_action (guild_id, staff_id, action_type, nth, counted_at, target_id, details, created_at)
     VALUES (7000000000000000000, 1, 'ban', 1, '2026-04-12T18:33:21+00:00', '1', '{}', '2026-04-12T18:33:21+00:00')",
];

impl Fixture {
    /// How many rows each sweep and each retention finds.
    async fn swept(&self) -> [u64; 8] {
        let (conn, late) = (self.begin().await, at(1_000_000));
        let found = [
            loa::sweep(&conn, None, late, 10).await.unwrap().len() as u64,
            strike::sweep(&conn, None, late, 10).await.unwrap().len() as u64,
            staff_session::sweep_stale(&conn, late, 10).await.unwrap().len() as u64,
            follow::due(&conn, late, 10).await.unwrap().len() as u64,
            staff_session::sum::fold(&conn, late, 10).await.unwrap(),
            staff_action::old::fold(&conn, late, 10).await.unwrap(),
            retention::sanctions(&conn, late, 10).await.unwrap(),
            audit_chain::old::delete(&conn, None, late, 10).await.unwrap(),
        ];
        conn.commit().await.unwrap();
        found
    }

    async fn pairs(&self, sql: &str) -> Vec<(String, String)> {
        let statement = Statement::from_string(self.conn().get_database_backend(), sql);
        let rows = self.conn().query_all_raw(statement).await.unwrap();
        rows.iter().map(|row| (row.try_get_by_index(0).unwrap(), row.try_get_by_index(1).unwrap())).collect()
    }
}

both_databases! {
    async fn a_guild_that_is_put_again_has_every_new_setting(fixture: &Fixture) {
        let before = guilds::find(fixture.conn(), guild()).await.unwrap().unwrap();
        let role = "77".parse().unwrap();
        let after = guilds::Model {
            name: "New".to_owned(),
            shield_writer: !before.shield_writer,
            mirror_bans: !before.mirror_bans,
            follow_bans: !before.follow_bans,
            staff_by_role: !before.staff_by_role,
            strike_days: before.strike_days + 1,
            verified_role: Some(role),
            sticky_roles: RoleList(vec![role]),
            link_message: Some("Welcome!".to_owned()),
            ..before.clone()
        };
        guilds::upsert(fixture.conn(), guilds::Model { created_at: at(9), ..after.clone() }).await.unwrap();
        assert_eq!(guilds::find(fixture.conn(), guild()).await.unwrap(), Some(after), "its age stays");
    }

    async fn every_table_with_a_guild_follows_it(fixture: &Fixture) {
        let sqlite = fixture.conn().get_database_backend() == DatabaseBackend::Sqlite;
        let [tables, follows] = if sqlite { ON_SQLITE } else { ON_POSTGRES };
        let (tables, follows) = (fixture.pairs(tables).await, fixture.pairs(follows).await);
        assert!(tables.len() > 20, "{tables:?}");
        let mut reached = BTreeSet::from(["guild"]);
        // The longest way has fewer steps than there are tables.
        for _ in &tables {
            let next: Vec<_> = follows.iter().filter(|(_, to)| reached.contains(&**to)).collect();
            reached.extend(next.into_iter().map(|(from, _)| &**from));
        }
        let left: Vec<_> = tables.iter().filter(|(table, _)| !reached.contains(&**table)).collect();
        assert!(left.is_empty(), "rows of a deleted guild would stay in {left:?}");
        // A removal goes through each of them.
        let named: BTreeSet<_> = removal::TABLES.into_iter().chain(["guild"]).collect();
        assert_eq!(named, tables.iter().map(|(table, _)| &**table).collect());
        assert_eq!(named.len(), removal::TABLES.len() + 1);
    }

    async fn a_guild_is_removed_in_parts_and_unknown_from_the_first(fixture: &Fixture) {
        for n in 1..=5 {
            fixture.link(chat(n), play(n)).await;
        }
        assert!(removal::begin(fixture.conn(), guild(), at(5)).await.unwrap().is_some());
        assert!(guilds::find(fixture.conn(), guild()).await.unwrap().is_none());
        assert!(guilds::find_for_update(fixture.conn(), guild()).await.unwrap().is_none());
        // Once more: it goes on.
        let again = removal::begin(fixture.conn(), guild(), at(9)).await.unwrap().unwrap();
        assert_eq!(again.removing_since, Some(at(5)));
        let some = async || removal::delete_some(fixture.conn(), "link", guild(), 2).await.unwrap();
        assert_eq!((some().await, some().await, some().await, some().await), (2, 2, 1, 0));
        for table in removal::TABLES {
            removal::delete_some(fixture.conn(), table, guild(), 2).await.unwrap();
        }
        assert!(removal::finish(fixture.conn(), guild(), at(9)).await.unwrap());
        assert!(removal::find(fixture.conn(), guild()).await.unwrap().is_none());
        assert!(removal::begin(fixture.conn(), guild(), at(9)).await.unwrap().is_none());
        assert!(guilds::find(fixture.conn(), other_guild()).await.unwrap().is_some());
    }

    async fn sweeps_and_retention_leave_a_hidden_guild_alone(fixture: &Fixture) {
        fixture.hire(chat(1), 5).await;
        let (id, guild_id) = (SessionId(uuid::Uuid::now_v7()), guild());
        let (staff, play, place, server) = (chat(1), play(1), place(1), "server-1".to_owned());
        let session = NewSession { id, guild: guild_id, staff, play, place, server };
        let transaction = fixture.begin().await;
        assert!(staff_session::start(&transaction, session, at(0)).await.unwrap().is_some());
        transaction.commit().await.unwrap();
        for row in DUE {
            fixture.execute(row).await;
        }
        assert!(removal::begin(fixture.conn(), guild(), at(0)).await.unwrap().is_some());
        assert_eq!(fixture.swept().await, [0; 8]);
        fixture.execute("UPDATE guild SET removing_since = NULL").await;
        assert_eq!(fixture.swept().await, [1; 8]);
    }

    async fn a_removal_gives_an_import_up(fixture: &Fixture) {
        import::begin(fixture.conn(), guild(), vec![1], at(0)).await.unwrap();
        let advance = async |written, rows| {
            import::advance(fixture.conn(), guild(), written, rows, &Placed::default()).await.unwrap()
        };
        assert!(advance(0, 5).await);
        assert!(!advance(0, 5).await, "another run has written them");
        assert_eq!(import::find(fixture.conn(), guild()).await.unwrap().unwrap().rows_written, 5);
        assert!(removal::begin(fixture.conn(), guild(), at(5)).await.unwrap().is_some());
        assert!(import::find(fixture.conn(), guild()).await.unwrap().is_none());
        assert!(!advance(5, 1).await);
        let transaction = fixture.begin().await;
        assert!(!import::finish(&transaction, guild()).await.unwrap());
        transaction.rollback().await.unwrap();
        assert!(guilds::find(fixture.conn(), guild()).await.unwrap().is_none());
    }

    async fn a_guild_is_found_by_a_part_of_its_name(fixture: &Fixture) {
        fixture.execute(&format!("UPDATE guild SET name = 'Ärger 100%_OK' WHERE guild_id = {}", guild())).await;
        for (text, found) in
            [("Ärger", true), ("rger 100%_ok", true), ("Ärger 100%_OK", true), ("100%o", false), ("_rger", false)]
        {
            let rows = guild_figures::search(fixture.conn(), text, Page::first(9)).await.unwrap();
            assert_eq!(rows.iter().any(|row| row.guild_id == guild()), found, "{text}");
        }
    }

    async fn a_deadlock_is_a_conflict_that_one_of_two_can_repeat(fixture: &Fixture) {
        // SQLite has one writer at a time.
        if !fixture.database.is_postgres() {
            return;
        }
        let (first, second) = (fixture.begin().await, fixture.begin().await);
        guilds::find_for_update(&first, guild()).await.unwrap();
        guilds::find_for_update(&second, other_guild()).await.unwrap();
        let crossed = async |transaction: runtime::Transaction, guild| {
            let locked = guilds::find_for_update(&transaction, guild).await;
            transaction.rollback().await.unwrap();
            locked.err()
        };
        let (one, other) = tokio::join!(crossed(first, other_guild()), crossed(second, guild()));
        let errors: Vec<_> = [one, other].into_iter().flatten().collect();
        assert!(errors.len() == 1 && runtime::is_conflict(&errors[0]), "{errors:?}");
        assert!(!runtime::is_conflict(&DbErr::Custom("other".to_owned())));
    }

    async fn a_deleted_guild_takes_its_rows_along(fixture: &Fixture) {
        fixture.link(chat(1), play(1)).await;
        fixture.hire(chat(1), 5).await;
        let flag = shield_flag::NewFlag { play: play(9), play_username: "p".to_owned(), reason: "r".to_owned() };
        let origin = shield_flag::Origin { by: chat(1), guild: Some(guild()), source: "manual", at: at(0) };
        shield_flag::import(fixture.conn(), &[flag], origin).await.unwrap();
        assert!(removal::finish(fixture.conn(), guild(), at(0)).await.unwrap());
        assert!(!removal::finish(fixture.conn(), guild(), at(0)).await.unwrap());
        assert_eq!(link::count(fixture.conn(), guild()).await.unwrap(), 0);
        assert!(guilds::find(fixture.conn(), other_guild()).await.unwrap().is_some());
        let flags = shield_flag::list(fixture.conn(), None, Page::first(9)).await.unwrap();
        assert_eq!((flags.len(), flags[0].flagged_by_guild), (1, None));
    }
}
