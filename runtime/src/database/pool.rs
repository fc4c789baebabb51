//! The handles passed to queries: a pool, and a transaction of it. Every statement and commit of both is bounded.

use async_trait::async_trait;
use sea_orm::sea_query::{CommonTableExpression, InsertStatement, Values, WithClause, WithQuery};
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, DbErr, ExecResult, QueryResult, Statement};
use tokio::sync::{Mutex, MutexGuard};

use super::bound::Bound;
use super::connections::Connections;
use super::log_sync::LogSync;
use super::pooled_connection::PooledConnection;
use crate::telemetry::Gauge;

/// A transaction's last statements that are executed as one: audit entries, the ends of their chains, events.
const AT_ONCE: usize = 3;

#[derive(Clone, Debug)]
pub struct Pool {
    connections: Connections,
    backend: DbBackend,
    bound: Bound,
    /// The sync for which a change on SQLite waits after its end.
    log: Option<LogSync>,
}

/// Dropped without commit it rolls back.
#[derive(Debug)]
pub struct Transaction {
    connection: Mutex<PooledConnection>,
    backend: DbBackend,
    bound: Bound,
    log: Option<LogSync>,
}

impl Pool {
    pub(super) fn new(connections: Connections, bound: Bound) -> Self {
        let backend = connections.source().get_database_backend();
        Self { connections, backend, bound, log: None }
    }

    pub(super) fn synced(self, log: LogSync) -> Self {
        Self { log: Some(log), ..self }
    }

    pub(super) fn guarded(self) -> Self {
        Self { bound: self.bound.guarded(), ..self }
    }

    pub(super) async fn begin(&self, sql: &'static str) -> Result<Transaction, DbErr> {
        let begun = async {
            let mut connection = self.connections.acquire().await?;
            connection.begin(sql).await?;
            Ok(connection)
        };
        let connection = Mutex::new(self.bound.run(begun).await?);
        Ok(Transaction {
            connection,
            backend: self.backend,
            bound: self.bound.clone(),
            log: self.log.clone(),
        })
    }

    pub(super) fn gauges(&self, name: &'static str) -> [Gauge; 4] {
        self.connections.gauges(name)
    }

    pub(super) async fn close(self) -> Result<(), DbErr> {
        self.connections.close().await
    }

    /// Separate connections without timeouts, for migrations.
    pub fn unbounded(&self) -> &DatabaseConnection {
        self.connections.source()
    }

    async fn connection(&self) -> Result<PooledConnection, DbErr> {
        self.connections.acquire().await
    }
}

impl Transaction {
    /// After an error the outcome is unknown.
    pub async fn commit(self) -> Result<(), DbErr> {
        let Self { connection, log, bound, .. } = self;
        let end = async { connection.into_inner().end("COMMIT").await };
        bound.run(durable(log.as_ref(), end, |()| true)).await
    }

    /// How many statements it has sent.
    pub(crate) async fn sent(&self) -> usize {
        self.connection.lock().await.sent()
    }

    /// Writes the transaction's last rows and commits, in as few round trips as the database permits.
    pub async fn commit_with(self, mut inserts: Vec<InsertStatement>) -> Result<(), DbErr> {
        // More are many rows: together they could bind too many values.
        let last = inserts.split_off(inserts.len().saturating_sub(AT_ONCE));
        for insert in &inserts {
            self.execute(insert).await?;
        }
        let statement = match self.backend {
            DbBackend::Postgres if last.len() > 1 => chained(last).map(|last| self.backend.build(&last)),
            _ => last.iter().map(|insert| self.backend.build(insert)).reduce(joined),
        };
        let Some(statement) = statement else { return self.commit().await };
        let Self { connection, log, bound, .. } = self;
        let end = async { connection.into_inner().commit_after(statement).await };
        bound.run(durable(log.as_ref(), end, |()| true)).await
    }

    pub async fn rollback(self) -> Result<(), DbErr> {
        self.bound.run(self.connection.into_inner().end("ROLLBACK")).await
    }

    async fn connection(&self) -> Result<MutexGuard<'_, PooledConnection>, DbErr> {
        Ok(self.connection.lock().await)
    }
}

fn waits<H>(log: fn(&H) -> Option<&LogSync>, handle: &H) -> Option<&LogSync> {
    log(handle)
}

/// Returns the connection before it waits. A statement that changed no row waits for nothing: without jobs a process would
/// else sync the disk ten times a second.
async fn durable<T>(
    log: Option<&LogSync>,
    change: impl Future<Output = Result<T, DbErr>>,
    changed: impl FnOnce(&T) -> bool,
) -> Result<T, DbErr> {
    let outcome = change.await?;
    if let Some(log) = log.filter(|_| changed(&outcome)) {
        log.wait().await?;
    }
    Ok(outcome)
}

/// One statement of Postgres that executes them all.
fn chained(mut inserts: Vec<InsertStatement>) -> Option<WithQuery> {
    let last = inserts.pop()?;
    let mut with = WithClause::new();
    for (index, insert) in inserts.into_iter().enumerate() {
        let before =
            CommonTableExpression::new().query(insert).table_name(format!("insert_{index}")).to_owned();
        with.cte(before);
    }
    Some(with.query(last))
}

/// Two statements of SQLite, one after the other: their placeholders have no numbers.
fn joined(mut first: Statement, second: Statement) -> Statement {
    first.sql.push_str("; ");
    first.sql.push_str(&second.sql);
    let values = [first.values, second.values].into_iter().flatten().flat_map(|values| values.0);
    Statement { values: Some(Values(values.collect())), ..first }
}

macro_rules! bounded {
    ($handle:ty, $log:expr) => {
        #[async_trait]
        impl ConnectionTrait for $handle {
            fn get_database_backend(&self) -> DbBackend {
                self.backend
            }

            async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
                let change = async { self.connection().await?.execute(statement).await };
                let changed = |result: &ExecResult| result.rows_affected() > 0;
                self.bound.run(durable(waits($log, self), change, changed)).await
            }

            async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
                // It may change the schema.
                let change = async { self.connection().await?.execute_unprepared(sql).await };
                self.bound.run(durable(waits($log, self), change, |_| true)).await
            }

            async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
                let change = async { self.connection().await?.query_one(statement).await };
                self.bound.run(durable(waits($log, self), change, Option::is_some)).await
            }

            async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
                let change = async { self.connection().await?.query_all(statement).await };
                self.bound.run(durable(waits($log, self), change, |rows| !rows.is_empty())).await
            }
        }
    };
}

// A statement of its own is a change; those of a transaction are one at its commit.
bounded!(Pool, |pool| pool.log.as_ref());
bounded!(Transaction, |_| None);
