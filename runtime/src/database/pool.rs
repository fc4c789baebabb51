//! A pool with a client-side statement timeout: a statement fails even if the server vanished without closing its
//! connections. The server's own limit (`statement_timeout`) does not help then, and the system detects such a
//! connection only after a quarter of an hour.

use std::ops::Deref;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::FutureExt;
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DbBackend, DbErr, ExecResult, QueryResult, RuntimeErr, SqlxError,
    Statement,
};

/// Margin over the server's limit, so that a reachable server reports its own timeout first.
const SLACK: Duration = Duration::from_secs(5);

/// The handle passed to queries.
#[derive(Clone, Debug)]
pub struct Pool {
    inner: DatabaseConnection,
    limit: Duration,
}

impl Pool {
    /// `statement_timeout` is the server's limit; without it a statement is unlimited.
    pub(super) fn new(inner: DatabaseConnection, statement_timeout: Option<Duration>) -> Self {
        Self { inner, limit: statement_timeout.map_or(Duration::MAX, |limit| limit + SLACK) }
    }

    pub(super) async fn close(self) -> Result<(), DbErr> {
        self.inner.close().await
    }

    /// The outcome of the work, or an error if it takes longer than any statement may.
    ///
    /// Not an `async fn`, which would store the future twice: it is part of every statement and of every run of a job.
    pub(super) fn in_time<T>(
        &self,
        work: impl Future<Output = Result<T, DbErr>>,
    ) -> impl Future<Output = Result<T, DbErr>> {
        tokio::time::timeout(self.limit, work).map(|outcome| {
            outcome.unwrap_or_else(|_| {
                let silent =
                    std::io::Error::new(std::io::ErrorKind::TimedOut, "the database does not answer");
                Err(DbErr::Conn(RuntimeErr::SqlxError(SqlxError::Io(silent).into())))
            })
        })
    }
}

/// Without a limit, for migrations.
impl Deref for Pool {
    type Target = DatabaseConnection;

    fn deref(&self) -> &DatabaseConnection {
        &self.inner
    }
}

#[async_trait]
impl ConnectionTrait for Pool {
    fn get_database_backend(&self) -> DbBackend {
        self.inner.get_database_backend()
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        self.in_time(self.inner.execute_raw(statement)).await
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        self.in_time(self.inner.execute_unprepared(sql)).await
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        self.in_time(self.inner.query_one_raw(statement)).await
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        self.in_time(self.inner.query_all_raw(statement)).await
    }
}
