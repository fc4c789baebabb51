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

/// How a tick was answered.
#[derive(Clone, Copy)]
pub(crate) struct Held {
    pub(crate) time: Duration,
    /// Sooner than the server would have waited.
    pub(crate) early: bool,
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
    /// next one comes at any moment of the interval. One that something ended early comes back soon, to be held again, while
    /// the key has a call to spare for each server.
    pub(crate) fn next(&self, server: Sharer, held: Option<Held>) -> Duration {
        // One of them, and not yet expected.
        self.holds(server, self.rate.window);
        let interval = self.interval();
        let any = |of: Duration| of.mul_f64(rand::random::<f64>());
        let window = self.limits.known(self.counter, self.rate);
        let soon = SHORTEST / 20;
        let next = match held {
            None => any(interval),
            Some(Held { early: true, .. }) if window.is_some_and(|window| self.has_spare(window)) => soon,
            Some(held) => interval.saturating_sub(held.time).max(soon),
        };
        let next = match window {
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

    fn has_spare(&self, window: Decision) -> bool {
        let (expected, sharers) =
            (self.limits.expected(self.counter, window.reset_after), self.limits.sharers(self.counter));
        window.remaining > expected.saturating_add(sharers)
    }

    fn is_spoken_for(&self, window: Decision) -> bool {
        self.limits.expected(self.counter, window.reset_after) >= window.remaining
    }
}

#[cfg(test)]
mod tests;
