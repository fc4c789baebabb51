//! Idle connections.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::Instant;

use super::connection::Connection;

/// A Postgres connection that is not needed for this long is closed.
const IDLE_LIMIT: Duration = Duration::from_secs(600);
/// A Postgres connection is closed at this age, so that the server's memory for it is freed now and then.
const AGE_LIMIT: Duration = Duration::from_secs(1_800);

/// In the order of their return: the newest is taken first.
#[derive(Clone, Debug, Default)]
pub(super) struct Idle(Arc<Mutex<Vec<Waiting>>>);

#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) connection: Connection,
    pub(super) opened: Instant,
    pub(super) since: Instant,
}

impl Idle {
    pub(super) fn take(&self) -> Option<Waiting> {
        self.waiting().pop()
    }

    pub(super) fn count(&self) -> usize {
        self.waiting().len()
    }

    /// Takes back a connection outside of a transaction, and closes those that are too old.
    pub(super) fn give_back(&self, connection: Connection, opened: Instant) {
        let now = Instant::now();
        let ends = !connection.is_sqlite();
        let is_old =
            |waiting: &mut Waiting| now - waiting.since >= IDLE_LIMIT || now - waiting.opened >= AGE_LIMIT;
        let mut waiting = self.waiting();
        waiting.push(Waiting { connection, opened, since: now });
        if let Ok(runtime) = Handle::try_current()
            && ends
        {
            waiting.extract_if(.., is_old).for_each(|old| drop(runtime.spawn(old.connection.close())));
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<Waiting>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
