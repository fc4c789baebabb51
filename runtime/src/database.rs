//! The database pool of a process: Postgres, or a SQLite file with one writer connection and several readers.
//!
//! SQLite silently ignores row locks, so no rule may rely on them; a transaction of [`Database::begin`] takes SQLite's
//! write lock with its first statement (`BEGIN IMMEDIATE`), so that it never fails half-way because the lock
//! is taken.

use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use sea_orm::{ConnectionTrait, DbErr};

use crate::error::StartError;
use crate::telemetry::Gauge;

mod access;
mod alone;
mod bound;
mod breaker;
mod connection;
mod connections;
mod idle;
mod log_sync;
mod options;
mod outage;
mod pool;
mod pooled_connection;
mod postgres;
mod sessions;
mod sqlite;

pub use access::{files_of, folder_of, give_to_owner_of};
pub use alone::Alone;
use bound::Bound;
pub use breaker::Breaker;
use connections::Connections;
pub use options::DatabaseOptions;
pub use outage::{is_conflict, is_outage};
pub use pool::{Pool, Transaction};
pub(crate) use postgres::check_url as check_postgres_url;
pub use sqlite::DataDirLock;
pub(crate) use sqlite::file_of as sqlite_file_of;

#[derive(Clone, Debug)]
pub struct Database {
    read: Pool,
    write: Pool,
    vital: Pool,
    breaker: Breaker,
    /// SQLite: the file that each transaction is appended to. `None`: Postgres.
    log: Option<Arc<Path>>,
}

impl Database {
    /// Connects; the error distinguishes a bad URL, an unreachable host, refused credentials and a missing database. A
    /// SQLite file is created together with its folder.
    pub async fn connect(url: &str, options: &DatabaseOptions) -> Result<Self, StartError> {
        let breaker = options.breaker.clone();
        if is_postgres_url(url) {
            let bound = Bound::new(options.statement_timeout, breaker.clone());
            let (source, checked) = postgres::connect(url, options).await?;
            let connections = |limit| Connections::new(source.clone(), limit, breaker.clone());
            let all = Pool::new(connections(options.max_connections).holding(checked), bound.clone());
            let vital = Pool::new(connections(1), bound);
            return Ok(Self { read: all.clone(), write: all, vital, breaker, log: None });
        }
        let sqlite::Opened { read, write, sync, log } = sqlite::connect(url).await?;
        // A file does not vanish, and the busy timeout bounds the wait for its one writer.
        let bound = Bound::new(None, breaker.clone());
        let pool = |source, limit| Pool::new(Connections::new(source, limit, breaker.clone()), bound.clone());
        let write = pool(write, 1).synced(sync);
        let read = pool(read, options.readers);
        Ok(Self { read, vital: write.clone(), write, breaker, log: Some(log.into()) })
    }

    /// A handle whose statements fail at once while the circuit breaker is open, for callers that prefer an
    /// error to a wait. Not on SQLite: a file does not vanish.
    #[must_use]
    pub fn guarded(self) -> Self {
        if !self.is_postgres() {
            return self;
        }
        Self { read: self.read.guarded(), write: self.write.guarded(), vital: self.vital.guarded(), ..self }
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

    /// A connection that no job holds, for the heartbeats that let jobs run. SQLite has one writer only.
    pub fn vital(&self) -> &Pool {
        &self.vital
    }

    /// A write transaction: READ COMMITTED on Postgres, IMMEDIATE on SQLite. Dropped without commit it rolls back. On
    /// SQLite it blocks all other writes: calling [`write`](Self::write) inside deadlocks.
    pub async fn begin(&self) -> Result<Transaction, DbErr> {
        self.write.begin(if self.is_postgres() { "BEGIN" } else { "BEGIN IMMEDIATE" }).await
    }

    /// A transaction for queries that see one state of the database: the one at its first query.
    pub async fn snapshot(&self) -> Result<Transaction, DbErr> {
        // SQLite's transactions are snapshots anyway, and its readers cannot write.
        let sql =
            if self.is_postgres() { "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" } else { "BEGIN" };
        self.read.begin(sql).await
    }

    /// The connections of its pools.
    pub fn gauges(&self) -> Vec<Gauge> {
        let pools = if self.is_postgres() {
            [("all", &self.write), ("vital", &self.vital)]
        } else {
            [("readers", &self.read), ("writer", &self.write)]
        };
        pools.into_iter().flat_map(|(name, pool)| pool.gauges(name)).collect()
    }

    pub fn is_postgres(&self) -> bool {
        self.log.is_none()
    }

    /// SQLite: when a transaction was last written. One look at a file that is open: far less than a statement.
    pub(crate) fn written_at(&self) -> Option<SystemTime> {
        self.log.as_ref().and_then(|log| log.metadata().ok()?.modified().ok())
    }

    /// One round trip, for readiness.
    pub async fn ping(&self) -> Result<(), DbErr> {
        self.read.execute_unprepared("SELECT 1").await.map(drop)
    }

    pub async fn close(self) {
        // SQLite writes its log back when the last connection closes, so readers close first.
        for pool in [self.read, self.write, self.vital] {
            if let Err(error) = pool.close().await {
                tracing::warn!(%error, "database pool did not close cleanly");
            }
        }
    }
}

pub(crate) fn is_postgres_url(url: &str) -> bool {
    url.starts_with("postgres://") || url.starts_with("postgresql://")
}
