//! The deletion of a guild: every table with its rows follows it.

use std::collections::BTreeSet;

use entities::{guild as guilds, link, shield_flag};
use sea_orm::{ConnectionTrait, DatabaseBackend, Statement};

use crate::fixture::{Fixture, at, both_databases, chat, guild, other_guild, play};

/// Tables with a column `guild_id`; and pairs of a table and another whose deleted rows take theirs along.
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
    }

    async fn a_deleted_guild_takes_its_rows_along(fixture: &Fixture) {
        fixture.link(chat(1), play(1)).await;
        fixture.hire(chat(1), 5).await;
        let flag = shield_flag::NewFlag { play: play(9), play_username: "p".to_owned(), reason: "r".to_owned() };
        let origin = shield_flag::Origin { by: chat(1), guild: Some(guild()), source: "manual", at: at(0) };
        shield_flag::import(fixture.conn(), &[flag], origin).await.unwrap();
        assert!(guilds::delete(fixture.conn(), guild()).await.unwrap());
        assert!(!guilds::delete(fixture.conn(), guild()).await.unwrap());
        assert_eq!(link::count(fixture.conn(), guild()).await.unwrap(), 0);
        assert!(guilds::find(fixture.conn(), other_guild()).await.unwrap().is_some());
        let flags = shield_flag::list(fixture.conn(), None, entities::Page::first(9)).await.unwrap();
        assert_eq!((flags.len(), flags[0].flagged_by_guild), (1, None));
    }
}
