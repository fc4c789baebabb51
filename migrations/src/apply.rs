//! Applies pending changes, in order.
//!
//! Those before and after a concurrent one are each one transaction. On Postgres an advisory lock of a session makes a
//! concurrent `migrate` wait: it polls instead of waiting in a statement, because an index that is built
//! concurrently waits for all statements that began before.

use std::time::Duration;

use sea_orm::sqlx::{self, AssertSqlSafe, ConnectOptions, Connection, PgConnection, Row, raw_sql};
use sea_orm::{
    ConnectionTrait, DatabaseBackend, DatabaseConnection, DbErr, RuntimeErr, SqliteTransactionMode,
    TransactionOptions, TransactionTrait,
};
use sea_orm_migration::MigratorTrait;

use crate::change::Change;

/// Serializes runs on Postgres; any constant that the database uses for no other lock.
const ADVISORY_LOCK: i64 = 0x6775_696c_6468_616c;
const ASK_EVERY: Duration = Duration::from_millis(200);
/// A change waits this long for a table's lock, because later statements wait behind it.
const LOCK_TIMEOUT: &str = "10s";
/// Tries of an index that waits for a longer lock.
const MOST_TRIES: usize = 10;
/// The code of a lock timeout.
const TIMED_OUT: &str = "55P03";

/// The changes of `all` that are pending in the schema `S`, which has the same ones; returns their names.
pub(crate) async fn apply<S: MigratorTrait>(
    database: &DatabaseConnection,
    all: &[Change],
) -> Result<Vec<String>, DbErr> {
    let mut session = match database.get_database_backend() {
        DatabaseBackend::Postgres => Some(lock(database).await?),
        _ => None,
    };
    let applied = apply_alone::<S>(database, all, session.as_mut()).await;
    if let Some(session) = session {
        // With its lock.
        drop(session.close().await);
    }
    applied
}

async fn apply_alone<S: MigratorTrait>(
    database: &DatabaseConnection,
    all: &[Change],
    mut session: Option<&mut PgConnection>,
) -> Result<Vec<String>, DbErr> {
    let pending = S::get_pending_migrations(database).await?;
    let pending: Vec<String> = pending.iter().map(|pending| pending.name().to_owned()).collect();
    let changes = pending.iter().filter_map(|name| all.iter().find(|change| change.name == *name));
    let changes: Vec<&Change> = changes.collect();
    let alone = |change: &&Change| session.is_some() && change.is_concurrent();
    let groups: Vec<Vec<&Change>> =
        changes.chunk_by(|one, next| !alone(one) && !alone(next)).map(<[&Change]>::to_vec).collect();
    for group in groups {
        match (session.as_deref_mut(), group.as_slice()) {
            (Some(session), [change]) if change.is_concurrent() => build(session, change).await?,
            _ => together::<S>(database, group.len()).await?,
        }
    }
    Ok(pending)
}

/// The next changes in one transaction.
async fn together<S: MigratorTrait>(database: &DatabaseConnection, changes: usize) -> Result<(), DbErr> {
    let options = TransactionOptions {
        sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
        ..TransactionOptions::default()
    };
    let transaction = database.begin_with_options(options).await?;
    if database.get_database_backend() == DatabaseBackend::Postgres {
        transaction.execute_unprepared(&format!("SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'")).await?;
    }
    S::up(&transaction, u32::try_from(changes).ok()).await?;
    transaction.commit().await
}

async fn lock(database: &DatabaseConnection) -> Result<PgConnection, DbErr> {
    let mut session =
        database.get_postgres_connection_pool().connect_options().connect().await.map_err(failed)?;
    let ask = format!("SELECT pg_try_advisory_lock({ADVISORY_LOCK})::text AS locked");
    loop {
        let row = raw_sql(AssertSqlSafe(ask.clone())).fetch_one(&mut session).await.map_err(failed)?;
        if row.try_get::<String, _>("locked").map_err(failed)? == "true" {
            return Ok(session);
        }
        tokio::time::sleep(ASK_EVERY).await;
    }
}

/// Runs each statement by itself. An index that an earlier run left incomplete is built anew.
async fn build(session: &mut PgConnection, change: &Change) -> Result<(), DbErr> {
    run(session, format!("SET lock_timeout = '{LOCK_TIMEOUT}'")).await.map_err(failed)?;
    for statement in change.statements(true) {
        for left in (0..MOST_TRIES).rev() {
            drop_invalid(session, &statement).await.map_err(failed)?;
            match run(session, statement.clone()).await {
                Err(sqlx::Error::Database(error))
                    if left > 0 && error.code().as_deref() == Some(TIMED_OUT) => {}
                done => {
                    done.map_err(failed)?;
                    break;
                }
            }
        }
    }
    let note =
        "INSERT INTO seaql_migrations (version, applied_at) VALUES ('{}', extract(epoch FROM now())::bigint)";
    run(session, note.replace("{}", change.name)).await.map_err(failed)
}

/// Drops the indexes that the statement names and that no query can use.
async fn drop_invalid(session: &mut PgConnection, statement: &str) -> Result<(), sqlx::Error> {
    let invalid = "SELECT c.relname::text AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid \
                   WHERE NOT i.indisvalid AND c.relnamespace = current_schema()::regnamespace";
    for row in raw_sql(invalid).fetch_all(&mut *session).await? {
        let name: String = row.try_get("name")?;
        if statement.split_whitespace().any(|word| word == name) {
            run(session, format!("DROP INDEX CONCURRENTLY \"{name}\"")).await?;
        }
    }
    Ok(())
}

async fn run(session: &mut PgConnection, sql: String) -> Result<(), sqlx::Error> {
    raw_sql(AssertSqlSafe(sql)).execute(&mut *session).await.map(drop)
}

fn failed(error: sqlx::Error) -> DbErr {
    DbErr::Exec(RuntimeErr::SqlxError(error.into()))
}

#[cfg(test)]
mod tests;
