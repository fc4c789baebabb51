//! Settings of a pool.

use std::time::Duration;

use super::breaker::Breaker;

/// How long a caller waits for a free connection before it gets an error.
pub(super) const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(10);
/// A ping, or a rollback, that takes longer closes the connection.
pub(super) const PING_TIMEOUT: Duration = Duration::from_secs(2);

#[derive(Clone, Debug)]
pub struct DatabaseOptions {
    /// Connections of a Postgres pool. SQLite has one writer, always.
    pub max_connections: u32,
    pub readers: u32,
    /// Postgres cancels a statement that takes longer; `None` for migrations.
    pub statement_timeout: Option<Duration>,
    /// Shown in `pg_stat_activity`.
    pub application_name: &'static str,
    /// Pools of one process share it.
    pub breaker: Breaker,
}

impl Default for DatabaseOptions {
    fn default() -> Self {
        Self {
            max_connections: 16,
            readers: 4,
            statement_timeout: Some(Duration::from_secs(30)),
            application_name: "guildhall",
            breaker: Breaker::default(),
        }
    }
}
