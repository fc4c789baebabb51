//! When a game server is to send its next tick: the servers of a key share its limit evenly, so that none is refused, and
//! do not meet.

use std::time::Duration;

use runtime::{Counter, Decision, Limits, Rate, Sharer};

/// Between two ticks of a server whose key has calls to spare.
const SHORTEST: Duration = Duration::from_secs(5);
/// What of a limit is planned: the rest is for clocks and retries.
const PLANNED: f64 = 0.985;
/// A server that is so late has gone.
const GRACE: Duration = Duration::from_secs(5);

/// The ticks of a key.
pub(crate) struct Ticks<'a> {
    pub(crate) limits: &'a Limits,
    pub(crate) counter: Counter,
    pub(crate) rate: Rate,
}

impl Ticks<'_> {
    /// The server is answered within this time.
    pub(crate) fn holds(&self, server: Sharer, time: Duration) {
        self.limits.expect(self.counter, server, time, GRACE);
    }

    /// The server shuts down.
    pub(crate) fn ends(&self, server: Sharer) {
        self.limits.expect(self.counter, server, Duration::ZERO, Duration::ZERO);
    }

    /// The time until the next tick. `held`: for so long this one was answered; `None`: it was the server's first, and the
    /// next one comes at any moment of the interval.
    pub(crate) fn next(&self, server: Sharer, held: Option<Duration>) -> Duration {
        // One of them, and not yet expected.
        self.holds(server, self.rate.window);
        let interval = self.interval();
        let any = |of: Duration| of.mul_f64(rand::random::<f64>());
        let next =
            held.map_or_else(|| any(interval), |held| interval.saturating_sub(held).max(SHORTEST / 20));
        let next = match self.limits.known(self.counter, self.rate) {
            // The others need what is left of the window.
            Some(window) if next < window.reset_after && self.is_spoken_for(window) => {
                window.reset_after + any(window.reset_after.saturating_sub(next).min(interval))
            }
            _ => next,
        };
        self.holds(server, next);
        next
    }

    /// Between two ticks of each server.
    fn interval(&self) -> Duration {
        let sharers = f64::from(self.limits.sharers(self.counter));
        let planned = self.rate.window.mul_f64(sharers / (f64::from(self.rate.limit) * PLANNED).max(1.0));
        planned.max(SHORTEST)
    }

    fn is_spoken_for(&self, window: Decision) -> bool {
        self.limits.expected(self.counter, window.reset_after) >= window.remaining
    }
}

#[cfg(test)]
mod tests;
