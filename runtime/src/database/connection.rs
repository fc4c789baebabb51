//! One connection to Postgres or to a SQLite file, and the execution of sea-orm's statements on it.

use sea_orm::sqlx::query::Query;
use sea_orm::sqlx::{
    self, AssertSqlSafe, Connection as _, Executor as _, IntoArguments, PgConnection, SqliteConnection,
};
use sea_orm::{DbErr, ExecResult, QueryResult, RuntimeErr, SqlxError, Statement};
use sea_query_sqlx::SqlxValues;

use super::options::PING_TIMEOUT;

#[derive(Debug)]
pub(super) enum Connection {
    Postgres(PgConnection),
    Sqlite(SqliteConnection),
}

macro_rules! on {
    ($connection:expr, $any:ident => $run:expr) => {
        match $connection {
            Connection::Postgres($any) => $run,
            Connection::Sqlite($any) => $run,
        }
    };
}

impl Connection {
    pub(super) async fn execute(&mut self, statement: Statement) -> Result<ExecResult, DbErr> {
        let done = on!(self, any => query(statement).execute(any).await.map(ExecResult::from));
        done.map_err(|error| DbErr::Exec(wrap(error)))
    }

    pub(super) async fn execute_unprepared(&mut self, sql: &str) -> Result<ExecResult, DbErr> {
        let sql = AssertSqlSafe(sql.to_owned());
        let done = on!(self, any => any.execute(sql).await.map(ExecResult::from));
        done.map_err(|error| DbErr::Exec(wrap(error)))
    }

    pub(super) async fn query_one(&mut self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        let row = on!(self, any => query(statement).fetch_optional(any).await.map(|row| row.map(QueryResult::from)));
        row.map_err(|error| DbErr::Query(wrap(error)))
    }

    pub(super) async fn query_all(&mut self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        let rows = on!(self, any => query(statement).fetch_all(any).await.map(results));
        rows.map_err(|error| DbErr::Query(wrap(error)))
    }

    pub(super) async fn ping(&mut self) -> Result<(), DbErr> {
        on!(self, any => any.ping().await).map_err(|error| DbErr::Conn(wrap(error)))
    }

    /// Rolls back an open transaction, after its caller has gone on. `None`: the connection is broken.
    pub(super) async fn cleaned(mut self, in_transaction: bool) -> Option<Self> {
        let cleaning = async {
            if in_transaction {
                // SQLite refuses if the transaction has ended by itself; a lost connection shows by the ping.
                drop(self.execute_unprepared("ROLLBACK").await);
            }
            self.ping().await
        };
        let clean = matches!(tokio::time::timeout(PING_TIMEOUT, cleaning).await, Ok(Ok(())));
        clean.then_some(self)
    }

    pub(super) async fn close(self) -> Result<(), DbErr> {
        on!(self, any => any.close().await).map_err(|error| DbErr::Conn(wrap(error)))
    }

    pub(super) fn is_sqlite(&self) -> bool {
        matches!(self, Self::Sqlite(_))
    }
}

pub(super) fn wrap(error: SqlxError) -> RuntimeErr {
    RuntimeErr::SqlxError(error.into())
}

fn query<'q, DB: sqlx::Database>(statement: Statement) -> Query<'q, DB, SqlxValues>
where
    SqlxValues: IntoArguments<DB>,
{
    let values = statement.values.unwrap_or_else(|| sea_orm::sea_query::Values(Vec::new()));
    sqlx::query_with(AssertSqlSafe(statement.sql), SqlxValues(values))
}

fn results<R>(rows: Vec<R>) -> Vec<QueryResult>
where
    QueryResult: From<R>,
{
    rows.into_iter().map(QueryResult::from).collect()
}
