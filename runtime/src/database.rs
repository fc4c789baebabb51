//! The database pool of a process: Postgres, or a SQLite file with one writer connection and several readers.
//!
//! SQLite silently ignores row locks, so no rule may rely on them; [`Database::begin`] takes SQLite's write lock at
//! once (`BEGIN IMMEDIATE`), so that a transaction never fails half-way for lack of it.

use sea_orm::{
    AccessMode, ConnectionTrait, DbErr, IsolationLevel, SqliteTransactionMode, TransactionOptions,
};

use crate::error::StartError;

mod access;
mod bound;
mod breaker;
mod options;
mod outage;
mod pool;
mod postgres;
mod sqlite;

use bound::Bound;
pub use breaker::Breaker;
pub use options::DatabaseOptions;
pub use outage::is_outage;
pub use pool::{Pool, Transaction};
pub(crate) use postgres::check_url as check_postgres_url;
pub use sqlite::DataDirLock;
pub(crate) use sqlite::file_of as sqlite_file_of;

#[derive(Clone, Debug)]
pub struct Database {
    read: Pool,
    write: Pool,
    breaker: Breaker,
    postgres: bool,
}

impl Database {
    /// Connects; the error distinguishes a bad URL, an unreachable host, refused credentials and a missing database. A
    /// SQLite file is created together with its folder.
    pub async fn connect(url: &str, options: &DatabaseOptions) -> Result<Self, StartError> {
        let breaker = options.breaker.clone();
        if is_postgres_url(url) {
            let bound = Bound::new(options.statement_timeout, breaker.clone());
            let pool = Pool::new(postgres::connect(url, options).await?, bound);
            return Ok(Self { read: pool.clone(), write: pool, breaker, postgres: true });
        }
        let (read, write) = sqlite::connect(url, options).await?;
        // A file does not vanish, and the busy timeout bounds the wait for its one writer.
        let bound = Bound::new(None, breaker.clone());
        Ok(Self {
            read: Pool::new(read, bound.clone()),
            write: Pool::new(write, bound),
            breaker,
            postgres: false,
        })
    }

    /// A handle whose statements fail at once while the circuit breaker is open, for callers who would rather have an
    /// error than wait. Not on SQLite: a file does not vanish.
    #[must_use]
    pub fn guarded(self) -> Self {
        if !self.postgres {
            return self;
        }
        Self { read: self.read.guarded(), write: self.write.guarded(), ..self }
    }

    pub(crate) fn breaker(&self) -> &Breaker {
        &self.breaker
    }

    /// For queries.
    pub fn read(&self) -> &Pool {
        &self.read
    }

    /// For single statements that write.
    pub fn write(&self) -> &Pool {
        &self.write
    }

    /// A write transaction: READ COMMITTED on Postgres, IMMEDIATE on SQLite. Dropped without commit it rolls back. On
    /// SQLite it blocks all other writes: calling [`write`](Self::write) inside deadlocks.
    pub async fn begin(&self) -> Result<Transaction, DbErr> {
        let mode = (!self.postgres).then_some(SqliteTransactionMode::Immediate);
        self.write.begin(TransactionOptions { sqlite_transaction_mode: mode, ..Default::default() }).await
    }

    /// A transaction for queries that see one state of the database: the one at its first query.
    pub async fn snapshot(&self) -> Result<Transaction, DbErr> {
        // SQLite's transactions are snapshots anyway, and its readers cannot write.
        let options = TransactionOptions {
            isolation_level: self.postgres.then_some(IsolationLevel::RepeatableRead),
            access_mode: self.postgres.then_some(AccessMode::ReadOnly),
            ..TransactionOptions::default()
        };
        self.read.begin(options).await
    }

    pub fn is_postgres(&self) -> bool {
        self.postgres
    }

    /// One round trip, for readiness.
    pub async fn ping(&self) -> Result<(), DbErr> {
        self.read.execute_unprepared("SELECT 1").await.map(drop)
    }

    pub async fn close(self) {
        // SQLite writes its log back when the last connection closes, so readers close first.
        for pool in [self.read, self.write] {
            if let Err(error) = pool.close().await {
                tracing::warn!(%error, "database pool did not close cleanly");
            }
        }
    }
}

pub(crate) fn is_postgres_url(url: &str) -> bool {
    url.starts_with("postgres://") || url.starts_with("postgresql://")
}
