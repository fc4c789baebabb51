//! Connections to both databases: the state of a returned one, and the begin and end of transactions.

#![expect(
    clippy::unwrap_used,
    reason = "in a test's helpers as in the test: the message and the line are enough"
)]

use std::time::Duration;

use runtime::{Database, DatabaseOptions};
use sea_orm::sea_query::{Alias, InsertStatement, Query};
use sea_orm::{ConnectionTrait, Statement};
use testkit::{FELT, TestDatabase, eventually};

async fn both(test: impl AsyncFn(&TestDatabase, Database)) {
    for database in [TestDatabase::sqlite().await, TestDatabase::postgres().await] {
        // One connection, so that each statement sees the state that the previous one left.
        let options = DatabaseOptions { max_connections: 1, readers: 1, ..DatabaseOptions::default() };
        let opened = Database::connect(database.url(), &options).await.unwrap();
        opened.write().execute_unprepared("CREATE TABLE t (n bigint PRIMARY KEY)").await.unwrap();
        test(&database, opened.clone()).await;
        opened.close().await;
    }
}

fn insert(rows: impl IntoIterator<Item = i64>) -> InsertStatement {
    let mut insert = Query::insert();
    insert.into_table(Alias::new("t")).columns([Alias::new("n")]);
    for n in rows {
        insert.values_panic([n.into()]);
    }
    insert
}

/// The rows that another connection sees.
async fn seen(database: &TestDatabase) -> i64 {
    database.count("SELECT count(*) FROM t").await
}

async fn number(conn: &impl ConnectionTrait, sql: &str) -> i64 {
    let statement = Statement::from_string(conn.get_database_backend(), sql);
    conn.query_one_raw(statement).await.unwrap().unwrap().try_get_by_index(0).unwrap()
}

/// The metrics of the pool that writes, as name and value.
fn shown(opened: &Database) -> Vec<String> {
    let gauges = opened.gauges().into_iter().map(|gauge| format!("{gauge:?}"));
    gauges.filter(|gauge| gauge.contains("\"all\"") || gauge.contains("\"writer\"")).collect()
}

fn shows(opened: &Database, name: &str, value: f64, label: &str) -> Option<()> {
    let begin = format!("Gauge {{ name: \"db_client_connection_{name}\", value: {value:?},");
    shown(opened).iter().any(|gauge| gauge.starts_with(&begin) && gauge.contains(label)).then_some(())
}

#[tokio::test]
async fn a_pool_shows_who_uses_its_connections_and_who_waits_for_one() {
    both(async |_, opened| {
        assert_eq!(shown(&opened).len(), 4);
        let transaction = opened.begin().await.unwrap();
        shows(&opened, "count", 1.0, "used").unwrap();
        shows(&opened, "pending_requests", 0.0, "").unwrap();
        let other = opened.clone();
        let waiting = tokio::spawn(async move { other.write().execute_unprepared("SELECT 1").await });
        eventually("one waits", FELT, async || shows(&opened, "pending_requests", 1.0, "")).await;
        transaction.rollback().await.unwrap();
        waiting.await.unwrap().unwrap();
        shows(&opened, "max", 1.0, "").unwrap();
        shows(&opened, "count", 0.0, "used").unwrap();
        shows(&opened, "count", 1.0, "idle").unwrap();
        shows(&opened, "pending_requests", 0.0, "").unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_transaction_that_is_dropped_leaves_nothing_behind() {
    both(async |database, opened| {
        let transaction = opened.begin().await.unwrap();
        transaction.execute(&insert([1])).await.unwrap();
        drop(transaction);
        opened.write().execute(&insert([2])).await.unwrap();
        assert_eq!((seen(database).await, number(opened.read(), "SELECT min(n) FROM t").await), (1, 2));
    })
    .await;
}

#[tokio::test]
async fn a_transaction_without_a_statement_ends_as_well() {
    both(async |database, opened| {
        opened.begin().await.unwrap().commit().await.unwrap();
        opened.begin().await.unwrap().rollback().await.unwrap();
        drop(opened.begin().await.unwrap());
        opened.begin().await.unwrap().commit_with(vec![insert([1])]).await.unwrap();
        assert_eq!(seen(database).await, 1);
    })
    .await;
}

#[tokio::test]
async fn the_last_rows_are_committed_with_all_the_others_or_not_at_all() {
    both(async |database, opened| {
        let transaction = opened.begin().await.unwrap();
        assert_eq!(number(&transaction, "SELECT count(*) FROM t").await, 0);
        transaction.execute(&insert([1])).await.unwrap();
        transaction.commit_with(vec![insert([2]), insert([3, 4]), insert([5])]).await.unwrap();
        assert_eq!(seen(database).await, 5);
        let transaction = opened.begin().await.unwrap();
        transaction.execute(&insert([6])).await.unwrap();
        let refused = transaction.commit_with(vec![insert([7]), insert([1])]).await;
        assert!(refused.is_err(), "a row was written twice");
        opened.write().execute(&insert([8])).await.unwrap();
        assert_eq!(seen(database).await, 6);
    })
    .await;
}

#[tokio::test]
async fn the_rows_of_a_transactions_first_statement_are_counted_alone() {
    both(async |_, opened| {
        opened.write().execute(&insert([1, 2, 3])).await.unwrap();
        let transaction = opened.begin().await.unwrap();
        let done = transaction.execute_unprepared("DELETE FROM t WHERE n = 1").await.unwrap();
        assert_eq!(done.rows_affected(), 1);
        transaction.commit().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn after_an_error_the_connection_is_used_again() {
    both(async |database, opened| {
        opened.write().execute(&insert([1])).await.unwrap();
        assert!(opened.write().execute(&insert([1])).await.is_err());
        let transaction = opened.begin().await.unwrap();
        assert!(transaction.execute(&insert([1])).await.is_err());
        drop(transaction);
        opened.write().execute(&insert([2])).await.unwrap();
        assert_eq!(seen(database).await, 2);
    })
    .await;
}

#[tokio::test]
async fn a_statement_that_nobody_waits_for_any_more_keeps_no_connection() {
    both(async |database, opened| {
        for n in 1..=50 {
            let statement = insert([n]);
            let mut write = Box::pin(opened.write().execute(&statement));
            // Dropped at each point it may wait at.
            let _ = tokio::time::timeout(Duration::from_micros(n.unsigned_abs() * 40), &mut write).await;
        }
        let before = seen(database).await;
        opened.write().execute(&insert([51])).await.unwrap();
        assert!(seen(database).await > before);
    })
    .await;
}

#[tokio::test]
async fn a_connection_that_the_server_ended_is_replaced() {
    both(async |database, opened| {
        if !database.is_postgres() {
            return;
        }
        let server = number(opened.read(), "SELECT pg_backend_pid()::bigint").await;
        database.execute(&format!("SELECT pg_terminate_backend({server})")).await;
        // The first statement may find out.
        let _ = opened.write().execute(&insert([1])).await;
        opened.write().execute(&insert([2])).await.unwrap();
        assert_ne!(number(opened.read(), "SELECT pg_backend_pid()::bigint").await, server);
    })
    .await;
}

#[tokio::test]
async fn who_waits_for_a_connection_gets_the_next_free_one_and_none_after_the_end() {
    both(async |_, opened| {
        let transaction = opened.begin().await.unwrap();
        let waiting = tokio::spawn({
            let opened = opened.clone();
            async move { opened.write().execute(&insert([1])).await.map(drop) }
        });
        tokio::task::yield_now().await;
        transaction.commit().await.unwrap();
        waiting.await.unwrap().unwrap();
        opened.clone().close().await;
        assert!(opened.write().execute(&insert([2])).await.is_err());
    })
    .await;
}
