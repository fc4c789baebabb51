//! The interval of the leader's loops.

use std::time::Duration;

use runtime::Shutdown;
use tokio::time::{Interval, MissedTickBehavior};

use runtime::leader::Leadership;

/// Ticks while this process leads.
pub(crate) struct LeaderInterval {
    tick: Interval,
    leadership: Leadership,
    shutdown: Shutdown,
}

impl LeaderInterval {
    pub(crate) fn new(period: Duration, leadership: Leadership, shutdown: Shutdown) -> Self {
        let mut tick = tokio::time::interval(period);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self { tick, leadership, shutdown }
    }

    /// Waits for the next tick; false when the process stops.
    pub(crate) async fn next(&mut self) -> bool {
        loop {
            tokio::select! {
                _ = self.tick.tick() => if self.leadership.leads() { return true },
                () = self.shutdown.soft().cancelled() => return false,
            }
        }
    }
}
