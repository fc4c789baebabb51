//! A connection while it is in use, within a transaction or not.

use sea_orm::{DbErr, ExecResult, QueryResult, Statement};
use tokio::runtime::Handle;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;
use tokio_util::task::task_tracker::TaskTrackerToken;

use super::connection::Connection;
use super::idle::Idle;

#[derive(Debug)]
pub(super) struct PooledConnection {
    /// `None` only while it is dropped.
    connection: Option<Connection>,
    opened: Instant,
    /// A statement was sent and is not answered, or failed.
    doubtful: bool,
    in_transaction: bool,
    /// Begins the transaction together with its first query.
    begin: Option<&'static str>,
    /// How many statements were sent.
    sent: usize,
    idle: Idle,
    /// `None` only while it is dropped.
    held: Option<Held>,
}

/// The permit for which other callers wait.
pub(super) type Held = (OwnedSemaphorePermit, TaskTrackerToken);

/// Sends to the connection, and records whether the answer arrived.
macro_rules! send {
    ($pooled:ident, $method:ident($argument:expr)) => {{
        $pooled.doubtful = true;
        $pooled.sent += 1;
        let connection = $pooled.connection.as_mut().ok_or_else(gone)?;
        let outcome = connection.$method($argument).await;
        $pooled.doubtful = outcome.is_err();
        outcome
    }};
}

impl PooledConnection {
    pub(super) fn new(idle: Idle, connection: Connection, opened: Instant, held: Held) -> Self {
        let (connection, held) = (Some(connection), Some(held));
        Self { connection, opened, doubtful: false, in_transaction: false, begin: None, sent: 0, idle, held }
    }

    /// Begins a transaction, on SQLite together with its first query: each statement there is a message to another
    /// thread and back.
    pub(super) async fn begin(&mut self, sql: &'static str) -> Result<(), DbErr> {
        self.begin = Some(sql);
        if self.is_sqlite() { Ok(()) } else { self.begin_now().await }
    }

    async fn begin_now(&mut self) -> Result<(), DbErr> {
        let Some(sql) = self.begin.take() else { return Ok(()) };
        self.in_transaction = true;
        send!(self, execute_unprepared(sql)).map(drop)
    }

    pub(super) async fn execute(&mut self, statement: Statement) -> Result<ExecResult, DbErr> {
        // Not with the statement: SQLite would count the rows of the previous one.
        self.begin_now().await?;
        send!(self, execute(statement))
    }

    pub(super) async fn execute_unprepared(&mut self, sql: &str) -> Result<ExecResult, DbErr> {
        self.begin_now().await?;
        send!(self, execute_unprepared(sql))
    }

    pub(super) async fn query_one(&mut self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        let statement = self.beginning(statement);
        send!(self, query_one(statement))
    }

    pub(super) async fn query_all(&mut self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        let statement = self.beginning(statement);
        send!(self, query_all(statement))
    }

    /// Ends the transaction with `COMMIT` or `ROLLBACK`.
    pub(super) async fn end(&mut self, sql: &'static str) -> Result<(), DbErr> {
        if self.begin.take().is_none() {
            send!(self, execute_unprepared(sql))?;
            self.in_transaction = false;
        }
        Ok(())
    }

    pub(super) fn sent(&self) -> usize {
        self.sent
    }

    /// Executes the transaction's last statement and commits, on SQLite in one message.
    pub(super) async fn commit_after(&mut self, last: Statement) -> Result<(), DbErr> {
        if !self.is_sqlite() {
            self.execute(last).await?;
            return self.end("COMMIT").await;
        }
        let mut last = self.beginning(last);
        last.sql.push_str("; COMMIT");
        send!(self, execute(last))?;
        self.in_transaction = false;
        Ok(())
    }

    /// The statement, preceded by the transaction's begin if that was not sent yet.
    fn beginning(&mut self, mut statement: Statement) -> Statement {
        if let Some(begin) = self.begin.take() {
            self.in_transaction = true;
            statement.sql = format!("{begin}; {}", statement.sql);
        }
        statement
    }

    fn is_sqlite(&self) -> bool {
        self.connection.as_ref().is_some_and(Connection::is_sqlite)
    }
}

impl Drop for PooledConnection {
    fn drop(&mut self) {
        let Some(connection) = self.connection.take() else { return };
        if !self.doubtful && !self.in_transaction {
            self.idle.give_back(connection, self.opened);
            return;
        }
        // Without a runtime the process is ending: the connection is dropped.
        let (Ok(runtime), Some(held)) = (Handle::try_current(), self.held.take()) else { return };
        let (idle, opened, in_transaction) = (self.idle.clone(), self.opened, self.in_transaction);
        runtime.spawn(async move {
            if let Some(connection) = connection.cleaned(in_transaction).await {
                idle.give_back(connection, opened);
            }
            drop(held);
        });
    }
}

fn gone() -> DbErr {
    DbErr::Custom("the connection was taken".to_owned())
}
