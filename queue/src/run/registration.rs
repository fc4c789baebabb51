//! A process's right to run jobs, given by its confirmed heartbeats.
//!
//! A process that was frozen for a minute, or lost the database, may have been declared dead and its jobs rescued. So
//! its runs continue only while its last confirmed heartbeat is recent, by its own monotonic clock.

use std::time::Duration;

use entities::{Timestamp, worker};
use runtime::Clock;
use sea_orm::DbErr;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::Queue;

/// Heartbeat interval.
pub(super) const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(3);
/// Retry interval after a failed heartbeat.
pub(super) const HEARTBEAT_RETRY_PAUSE: Duration = Duration::from_secs(1);
/// After this time without a confirmed heartbeat the process suspends its runs: well before it can be declared dead.
const SUSPEND_AFTER: Duration = Duration::from_secs(10);

/// One registration of this process.
#[derive(Debug)]
pub(super) struct Registration {
    pub(super) name: String,
    /// When the newest confirmed heartbeat was sent, by the monotonic clock and by the wall clock.
    confirmed: watch::Sender<(Duration, Timestamp)>,
    /// Cancelled when the process was declared dead under this name.
    pub(super) void: CancellationToken,
}

impl Registration {
    pub(super) fn new(name: String, asked: (Duration, Timestamp)) -> Self {
        Self { name, confirmed: watch::Sender::new(asked), void: CancellationToken::new() }
    }

    /// Time since the last confirmation, by the clock that shows more: the monotonic one stands still while
    /// the machine sleeps.
    fn age(&self, clock: &Clock) -> Duration {
        let (steady, time) = *self.confirmed.borrow();
        clock.steady().saturating_sub(steady).max((clock.now() - time).to_std().unwrap_or_default())
    }

    pub(super) fn in_doubt(&self, clock: &Clock) -> bool {
        self.void.is_cancelled() || self.age(clock) >= SUSPEND_AFTER
    }

    /// Whether the process may start a run: its heartbeat was confirmed recently, or is confirmed now.
    pub(super) async fn is_confirmed(&self, queue: &Queue) -> Result<bool, DbErr> {
        Ok(!self.in_doubt(&queue.clock) || self.beat(queue).await?)
    }

    /// For runs, which are not polled while their process is in doubt: a heartbeat of their own could keep the
    /// connection that the process's heartbeats need. Waits for one of these; false when the process was declared dead.
    pub(super) async fn is_confirmed_soon(&self, clock: &Clock) -> bool {
        let mut confirmations = self.confirmed.subscribe();
        while self.in_doubt(clock) {
            if !self.next(&mut confirmations).await {
                return false;
            }
        }
        true
    }

    /// One heartbeat; false when the process was declared dead. The time of sending counts, not that of the
    /// response.
    pub(super) async fn beat(&self, queue: &Queue) -> Result<bool, DbErr> {
        let asked = (queue.clock.steady(), queue.clock.now());
        let beating = worker::beat(queue.database.vital(), &self.name, asked.1);
        let late = |_| DbErr::Custom("the database did not answer a heartbeat in time".to_owned());
        let alive = tokio::time::timeout(HEARTBEAT_INTERVAL, beating).await.map_err(late)??;
        if alive {
            self.confirmed.send_replace(asked);
        } else {
            self.void.cancel();
        }
        Ok(alive)
    }

    /// Returns when the process was declared dead. Wakes the task at each confirmation, so that a suspended run
    /// continues.
    pub(super) async fn voided(&self) {
        let mut confirmations = self.confirmed.subscribe();
        while self.next(&mut confirmations).await {}
    }

    /// Waits for the next confirmation; false when the process was declared dead.
    async fn next(&self, confirmations: &mut watch::Receiver<(Duration, Timestamp)>) -> bool {
        tokio::select! {
            () = self.void.cancelled() => false,
            // Its sender is in `self`.
            _ = confirmations.changed() => true,
        }
    }
}
