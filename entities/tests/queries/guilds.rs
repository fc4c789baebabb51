//! The deletion of a guild: every table with its rows follows it.

use std::collections::BTreeSet;

use entities::guild::{self as guilds, removal};
use entities::{RoleList, link, shield_flag};
use sea_orm::{ConnectionTrait, DatabaseBackend, DbErr, Statement};

use crate::fixture::{Fixture, at, both_databases, chat, guild, other_guild, play};

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

impl Fixture {
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
        let flags = shield_flag::list(fixture.conn(), None, entities::Page::first(9)).await.unwrap();
        assert_eq!((flags.len(), flags[0].flagged_by_guild), (1, None));
    }
}
