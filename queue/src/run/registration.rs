//! A process's right to run jobs, which its confirmed heartbeats give it.
//!
//! A process can stand still for a minute and not know it, or lose the database; either way it may have been declared
//! dead, and its jobs run elsewhere. So its runs go on only while its heartbeat was confirmed a moment ago, by its own
//! monotonic clock.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use entities::{Timestamp, worker};
use runtime::Clock;
use sea_orm::DbErr;
use tokio_util::sync::CancellationToken;

use crate::Queue;

/// Time between two heartbeats.
pub(super) const EVERY: Duration = Duration::from_secs(3);
/// Time to the next try where one failed, and within which a run that stood still is polled again.
pub(super) const SOON: Duration = Duration::from_secs(1);
/// A heartbeat confirmed longer ago leaves the process in doubt: well before it can be declared dead.
const DOUBT: Duration = Duration::from_secs(10);

/// One registration of this process.
#[derive(Debug)]
pub(super) struct Registration {
    pub(super) name: String,
    /// When the newest confirmed heartbeat was asked for, by the steady clock and by the time of day.
    confirmed: Mutex<(Duration, Timestamp)>,
    /// Cancelled when the process was declared dead under this name.
    pub(super) void: CancellationToken,
}

impl Registration {
    pub(super) fn new(name: String, asked: (Duration, Timestamp)) -> Self {
        Self { name, confirmed: Mutex::new(asked), void: CancellationToken::new() }
    }

    /// Time since the last confirmation, by whichever of this machine's clocks says more: the monotonic one stands
    /// still while the machine sleeps.
    fn age(&self, clock: &Clock) -> Duration {
        let (steady, time) = *self.confirmed.lock().unwrap_or_else(PoisonError::into_inner);
        clock.steady().saturating_sub(steady).max((clock.now() - time).to_std().unwrap_or_default())
    }

    pub(super) fn in_doubt(&self, clock: &Clock) -> bool {
        self.void.is_cancelled() || self.age(clock) >= DOUBT
    }

    /// Whether the process may start something: its heartbeat was confirmed a moment ago, or is now.
    pub(super) async fn is_confirmed(&self, queue: &Queue) -> Result<bool, DbErr> {
        Ok(!self.in_doubt(&queue.clock) || self.beat(queue).await?)
    }

    /// One heartbeat; false when the process was declared dead. What counts is when it was asked for, not when the
    /// answer was seen.
    pub(super) async fn beat(&self, queue: &Queue) -> Result<bool, DbErr> {
        let asked = (queue.clock.steady(), queue.clock.now());
        let beating = worker::beat(queue.database.write(), &self.name, asked.1);
        let late = |_| DbErr::Custom("the database did not answer a heartbeat in time".to_owned());
        let alive = tokio::time::timeout(EVERY, beating).await.map_err(late)??;
        if alive {
            *self.confirmed.lock().unwrap_or_else(PoisonError::into_inner) = asked;
        } else {
            self.void.cancel();
        }
        Ok(alive)
    }

    /// Returns when the process was declared dead. Wakes the task every second, so that a run which stood still for
    /// want of a confirmation goes on.
    pub(super) async fn voided(&self) {
        while tokio::time::timeout(SOON, self.void.cancelled()).await.is_err() {}
    }
}
