//! Queries about one person read only that person's bans and mutes, and lists of open rows read only those,
//! however many rows the guild has.

use std::sync::Mutex;

use async_trait::async_trait;
use entities::job::deliveries;
use entities::link_search::{self, Key};
use entities::sanction::change::{self, Lift, Target};
use entities::sanction::history::{self, Filter};
use entities::sanction::list::{self, List};
use entities::sanction::whole::Whole;
use entities::sanction::{SanctionKind, active};
use entities::{
    Page, Person, Places, Sorted, WebhookId, link, link_history, moderation_revision, pending_action,
};
use runtime::Pool;
use sea_orm::{ConnectionTrait, DatabaseBackend, DbErr, ExecResult, QueryResult, Statement};

use crate::fixture::{Fixture, at, both_databases, by_chat, by_play, chat, guild, place, play};

const BANS: &str = "
INSERT INTO sanction (guild_id, kind, play_id, reason, moderator_id, created_at, mirror_state, revision)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
SELECT 7000000000000000000, 'ban', 20000 + i, 'exploiting', 5, '2026-04-12T18:33:21+00:00', 'none', 1 FROM n";

/// Of chat users, half of whom are linked.
const LINKED_BANS: &str = "
INSERT INTO sanction (guild_id, kind, chat_id, reason, moderator_id, created_at, mirror_state, revision)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
SELECT 7000000000000000000, 'ban', 2000000000000000000 + i, 'exploiting', 5, '2026-04-12T18:33:21+00:00', 'none', 1 FROM n;
INSERT INTO link (guild_id, chat_id, play_id, play_username, verified_at)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
SELECT 7000000000000000000, 2000000000000001500 + i, 50000 + i, 'ada' || i, '2026-04-12T18:33:21+00:00' FROM n";

const INDEXED: [&str; 6] =
    ["sanction_", "pending_action_", "audit_entry_", "link_by_name", "link_by_person", "job_deliveries"];

/// The indexes of a person's accounts.
const OF_ACCOUNTS: [&str; 4] =
    ["sanction_by_chat", "sanction_by_play", "sanction_open_chat", "sanction_open_play"];

/// Asks the database how it executes each statement, before it does.
struct Explained<'p> {
    pool: &'p Pool,
    indexes: Mutex<Vec<String>>,
}

impl<'p> Explained<'p> {
    fn new(pool: &'p Pool) -> Self {
        Self { pool, indexes: Mutex::default() }
    }

    async fn explain(&self, mut statement: Statement) -> Result<(), DbErr> {
        let is_sqlite = self.get_database_backend() == DatabaseBackend::Sqlite;
        let (command, column) = if is_sqlite { ("EXPLAIN QUERY PLAN", 3) } else { ("EXPLAIN", 0) };
        statement.sql = format!("{command} {}", statement.sql);
        let plan = self.pool.query_all_raw(statement).await?;
        let mut indexes = self.indexes.lock().unwrap();
        for row in plan {
            let line: String = row.try_get_by_index(column)?;
            assert!(!line.contains("SCAN sanction") && !line.contains("Seq Scan on sanction"), "{line}");
            indexes.extend(
                line.split(' ')
                    .filter(|word| {
                        INDEXED.iter().any(|name| word.starts_with(name)) && !word.ends_with("_id")
                    })
                    .map(str::to_owned),
            );
        }
        Ok(())
    }

    /// Checks the indexes used since the last check.
    fn check(&self, question: &str, allowed: &[&str]) {
        let used = std::mem::take(&mut *self.indexes.lock().unwrap());
        let others: Vec<_> = used.iter().filter(|index| !allowed.contains(&index.as_str())).collect();
        assert!(!used.is_empty() && others.is_empty(), "{question}: {used:?}");
    }
}

#[async_trait]
impl ConnectionTrait for Explained<'_> {
    fn get_database_backend(&self) -> DatabaseBackend {
        self.pool.get_database_backend()
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        self.explain(statement.clone()).await?;
        self.pool.execute_raw(statement).await
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        self.pool.execute_unprepared(sql).await
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        self.explain(statement.clone()).await?;
        self.pool.query_one_raw(statement).await
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        self.explain(statement.clone()).await?;
        self.pool.query_all_raw(statement).await
    }
}

both_databases! {
    async fn a_persons_sanctions_are_found_by_the_accounts(fixture: &Fixture) {
        fixture.link(chat(1), play(1)).await;
        fixture.execute(BANS).await;
        if fixture.conn().get_database_backend() == DatabaseBackend::Postgres {
            fixture.execute("ANALYZE").await;
        }
        let (conn, now) = (Explained::new(fixture.conn()), at(0));
        let change = moderation_revision::begin(fixture.conn(), guild(), now).await.unwrap();
        for subject in [by_chat(1), by_play(1), by_chat(2), by_play(2)] {
            let person = Person::resolve(fixture.conn(), guild(), subject).await.unwrap();
            active::of_subject(&conn, guild(), subject, now).await.unwrap();
            conn.check("in force by account", &OF_ACCOUNTS);
            active::of_person(&conn, guild(), person, now).await.unwrap();
            conn.check("in force", &OF_ACCOUNTS);
            history::of_person(&conn, guild(), person, 10).await.unwrap();
            conn.check("history", &OF_ACCOUNTS);
            let filter = Filter { person: Some(person), ..Filter::of(SanctionKind::Ban) };
            history::list(&conn, guild(), filter, Page::first(10), now).await.unwrap();
            conn.check("filtered list", &OF_ACCOUNTS);
            let lift = |person| Lift {
                target: Target { kind: SanctionKind::Ban, person, place: None },
                only: None,
                by: chat(5),
                reason: None,
            };
            let other = Person { chat: None, play: Some(play(9)) };
            change::lift(&conn, &change, &[lift(person), lift(other)]).await.unwrap();
            conn.check("lift", &OF_ACCOUNTS);
            active::of_people(&conn, guild(), &[person, other], now).await.unwrap();
            conn.check("in force against several", &OF_ACCOUNTS);
        }
    }

    async fn a_whole_list_is_read_once_also_before_there_are_statistics(fixture: &Fixture) {
        fixture.execute(BANS).await;
        fixture.execute(LINKED_BANS).await;
        let conn = fixture.begin().await;
        let list = List { guild: guild(), kind: SanctionKind::Ban, places: Places::Everywhere };
        let whole = Whole::begin(&conn, list, at(0)).await.unwrap();
        let (mut rows, mut last) = (0, None);
        // Postgres makes a plan for all parameters after five executions.
        loop {
            let range = whole.range(&conn, last, 500).await.unwrap();
            let Some(row) = range.last() else { break };
            last = Some(row.sanction_id);
            rows += range.len();
        }
        assert_eq!(rows, 6_000);
        if fixture.conn().get_database_backend() != DatabaseBackend::Postgres {
            // SQLite does not count them.
            return;
        }
        let read = "SELECT sum(seq_tup_read + idx_tup_fetch)::bigint FROM pg_stat_xact_user_tables
            WHERE relname IN ('sanction', 'link')";
        let read = conn.query_one_raw(Statement::from_string(DatabaseBackend::Postgres, read)).await.unwrap().unwrap();
        let read: i64 = read.try_get_by_index(0).unwrap();
        // Sanctions and links, once to see which are outlasted and once to list them.
        assert!(read <= 20_000, "{read} rows read");
    }

    async fn open_rows_are_not_searched_among_all(fixture: &Fixture) {
        fixture.execute(BANS).await;
        fixture.execute("UPDATE sanction SET lifted_at = created_at, lifted_how = 'lifted' WHERE play_id > 20010").await;
        if fixture.conn().get_database_backend() == DatabaseBackend::Postgres {
            fixture.execute("ANALYZE").await;
        }
        let conn = Explained::new(fixture.conn());
        for places in [Places::All, Places::Everywhere, Places::In(place(1))] {
            let list = List { guild: guild(), kind: SanctionKind::Ban, places };
            let whole = Whole::begin(&conn, list, at(0)).await.unwrap();
            assert_eq!(whole.range(&conn, None, 100).await.unwrap().len(), 10);
            conn.check("whole list", &["sanction_open"]);
            list::page(&conn, list, at(0), Page::first(100)).await.unwrap();
            // Whether an account has one that ends later is read by that account.
            conn.check("page", &[&OF_ACCOUNTS[..], &["sanction_open"]].concat());
            list::count(&conn, list, at(0)).await.unwrap();
            conn.check("count", &["sanction_open"]);
        }
        if fixture.conn().get_database_backend() == DatabaseBackend::Sqlite {
            // Postgres rightly reads an empty table.
            link_history::of_person(&conn, guild(), chat(1), Some(play(1)), 10).await.unwrap();
            conn.check("former links", &["audit_entry_of_links"]);
            link_history::of_play(&conn, guild(), play(1), 10).await.unwrap();
            conn.check("former links of a game account", &["audit_entry_of_links"]);
            pending_action::list(&conn, guild(), Page::first(10)).await.unwrap();
            conn.check("pending", &["pending_action_open"]);
            link_search::by_name(&conn, guild(), "ada", 10).await.unwrap();
            conn.check("members by the first letters of their name", &["link_by_name"]);
            let (by_name, first) = (Sorted::ascending(Key::Name), (None, 10));
            link_search::containing(&conn, guild(), "", by_name, first).await.unwrap();
            conn.check("members by name", &["link_by_name"]);
            link::of_chat(&conn, chat(1)).await.unwrap();
            conn.check("a person's links in all guilds", &["link_by_person"]);
            let webhook = WebhookId::try_from(1).unwrap();
            deliveries::list(&conn, guild(), webhook, Page::first(10)).await.unwrap();
            conn.check("deliveries of a webhook", &["job_deliveries"]);
        }
    }
}
