//! What ends a statement that is not answered: a client-side timeout and, for guarded handles, the circuit breaker.
//!
//! A statement fails even if the server vanished without closing its connections. The server's own limit
//! (`statement_timeout`) does not help then, and the system detects such a connection only after a quarter of an hour.

use std::io;
use std::time::Duration;

use sea_orm::{DbErr, RuntimeErr, SqlxError};

use super::breaker::Breaker;

/// Margin over the server's limit, so that a reachable server reports its own timeout first.
const TIMEOUT_MARGIN: Duration = Duration::from_secs(5);

#[derive(Clone, Debug)]
pub(super) struct Bound {
    limit: Duration,
    breaker: Breaker,
    guarded: bool,
}

impl Bound {
    /// `statement_timeout` is the server's limit; without it a statement is unlimited.
    pub(super) fn new(statement_timeout: Option<Duration>, breaker: Breaker) -> Self {
        let limit = statement_timeout.map_or(Duration::MAX, |limit| limit + TIMEOUT_MARGIN);
        Self { limit, breaker, guarded: false }
    }

    pub(super) fn guarded(self) -> Self {
        Self { guarded: true, ..self }
    }

    pub(super) async fn run<T>(&self, work: impl Future<Output = Result<T, DbErr>>) -> Result<T, DbErr> {
        let outcome = tokio::select! {
            biased;
            () = self.breaker.opened(), if self.guarded => return Err(silent()),
            outcome = tokio::time::timeout(self.limit, work) => outcome.unwrap_or_else(|_| Err(silent())),
        };
        if outcome.is_ok() {
            self.breaker.answered();
        }
        outcome
    }
}

fn silent() -> DbErr {
    let error = io::Error::new(io::ErrorKind::TimedOut, "the database does not answer");
    DbErr::Conn(RuntimeErr::SqlxError(SqlxError::Io(error).into()))
}
