//! The connections of a process to one database. A connection whose last statement ended is used again as it is: sqlx's
//! own pool asks the server once more each time one is returned, which doubles the round trips of a query.
//!
//! A connection that was returned within a statement or a transaction, or after an error, is cleaned in the
//! background first, and closed if that fails.

use std::sync::Arc;
use std::time::Duration;

use sea_orm::sqlx::sqlite::SqliteSynchronous;
use sea_orm::sqlx::{ConnectOptions, PgConnection};
use sea_orm::{ConnAcquireErr, DatabaseConnection, DbErr};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::task::TaskTracker;

use super::breaker::Breaker;
use super::connection::{Connection, wrap};
use super::idle::{Idle, Waiting};
use super::options::{ACQUIRE_TIMEOUT, PING_TIMEOUT};
use super::outage;
use super::pooled_connection::PooledConnection;
use crate::telemetry::Gauge;

/// A Postgres connection that idled for this long is pinged before use.
const PING_AFTER: Duration = Duration::from_secs(1);
const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

#[derive(Clone, Debug)]
pub(super) struct Connections(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// sqlx's pool: it knows how to connect, and serves migrations.
    source: DatabaseConnection,
    idle: Idle,
    limit: usize,
    turns: Arc<Semaphore>,
    in_use: TaskTracker,
    breaker: Breaker,
}

impl Connections {
    pub(super) fn new(source: DatabaseConnection, limit: u32, breaker: Breaker) -> Self {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let (idle, turns, in_use) = (Idle::default(), Arc::new(Semaphore::new(limit)), TaskTracker::new());
        Self(Arc::new(Inner { source, idle, limit, turns, in_use, breaker }))
    }

    /// With connections that were opened to check them.
    pub(super) fn holding(self, checked: impl IntoIterator<Item = PgConnection>) -> Self {
        for connection in checked.into_iter().take(self.0.limit) {
            self.0.idle.give_back(Connection::Postgres(connection), Instant::now());
        }
        self
    }

    pub(super) fn source(&self) -> &DatabaseConnection {
        &self.0.source
    }

    /// Waits for a turn, then takes a free connection or opens one.
    pub(super) async fn acquire(&self) -> Result<PooledConnection, DbErr> {
        let deadline = Instant::now() + ACQUIRE_TIMEOUT;
        let turn = timeout_at(deadline, Arc::clone(&self.0.turns).acquire_owned()).await;
        let turn = turn.map_err(|_| too_late())?;
        let turn = turn.map_err(|_| DbErr::ConnectionAcquire(ConnAcquireErr::ConnectionClosed))?;
        while let Some(mut waiting) = self.0.idle.take() {
            if self.is_usable(&mut waiting).await {
                return Ok(self.lend(waiting.connection, waiting.opened, turn));
            }
        }
        let connection = Box::pin(self.open(deadline)).await?;
        Ok(self.lend(connection, Instant::now(), turn))
    }

    fn lend(&self, connection: Connection, opened: Instant, turn: OwnedSemaphorePermit) -> PooledConnection {
        PooledConnection::new(self.0.idle.clone(), connection, opened, (turn, self.0.in_use.token()))
    }

    async fn is_usable(&self, waiting: &mut Waiting) -> bool {
        let idle = waiting.since.elapsed();
        if waiting.connection.is_sqlite() {
            return true;
        }
        // Idle since before an outage: it may be dead without notice, and a ping would wait for its timeout.
        if self.0.breaker.closed_within(idle) {
            return false;
        }
        idle < PING_AFTER
            || matches!(timeout(PING_TIMEOUT, Box::pin(waiting.connection.ping())).await, Ok(Ok(())))
    }

    /// Tries again until the deadline while the server is away or starting.
    async fn open(&self, deadline: Instant) -> Result<Connection, DbErr> {
        let mut pause = FIRST_PAUSE;
        loop {
            let error = match timeout_at(deadline, self.connect()).await {
                Ok(Ok(connection)) => return Ok(connection),
                Ok(Err(error)) => error,
                Err(_) => return Err(too_late()),
            };
            if !outage::sqlx_passes(&error) || Instant::now() + pause >= deadline {
                return Err(DbErr::Conn(wrap(error)));
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    async fn connect(&self) -> Result<Connection, sea_orm::SqlxError> {
        match self.0.source.get_database_backend() {
            sea_orm::DbBackend::Postgres => {
                let options = self.0.source.get_postgres_connection_pool().connect_options();
                options.connect().await.map(Connection::Postgres)
            }
            _ => {
                let options = self.0.source.get_sqlite_connection_pool().connect_options();
                // The pool waits for the sync of the log instead.
                let options = options.as_ref().clone().synchronous(SqliteSynchronous::Normal);
                options.connect().await.map(Connection::Sqlite)
            }
        }
    }

    /// What the pool of this name does at this moment.
    pub(super) fn gauges(&self, pool: &'static str) -> [Gauge; 4] {
        let inner = &self.0;
        let used = inner.limit - inner.turns.available_permits().min(inner.limit);
        // Each turn, taken or waited for, shares the semaphore.
        let waiting = Arc::strong_count(&inner.turns).saturating_sub(1 + used);
        let connections = |count, state| {
            Gauge::count("db_client_connection_count", count).with("db_client_connection_state", state)
        };
        let gauges = [
            connections(used, "used"),
            connections(inner.idle.count(), "idle"),
            Gauge::count("db_client_connection_max", inner.limit),
            Gauge::count("db_client_connection_pending_requests", waiting),
        ];
        gauges.map(|gauge| gauge.with("db_client_connection_pool_name", pool))
    }

    /// Waits for all connections, and closes them.
    pub(super) async fn close(self) -> Result<(), DbErr> {
        self.0.turns.close();
        self.0.in_use.close();
        self.0.in_use.wait().await;
        while let Some(waiting) = self.0.idle.take() {
            waiting.connection.close().await?;
        }
        self.0.source.close_by_ref().await
    }
}

fn too_late() -> DbErr {
    DbErr::ConnectionAcquire(ConnAcquireErr::Timeout)
}
