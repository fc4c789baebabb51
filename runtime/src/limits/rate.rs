//! A rate, and the result of a request against it.

use std::time::Duration;

/// `limit` requests in each window of `window` (at least a millisecond).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    pub limit: u32,
    pub window: Duration,
}

impl Rate {
    pub const fn per(limit: u32, window: Duration) -> Self {
        Self { limit, window }
    }

    pub(super) fn window_millis(self) -> i64 {
        i64::try_from(self.window.as_millis()).unwrap_or(i64::MAX / 4).max(1)
    }
}

/// The result of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    pub allowed: bool,
    pub limit: u32,
    pub remaining: u32,
    /// Until the window ends.
    pub reset_after: Duration,
}

impl Decision {
    /// Value of `Retry-After`: whole seconds, rounded up, at least 1.
    pub fn reset_after_secs(&self) -> u64 {
        let round_up = u64::from(self.reset_after.subsec_nanos() > 0);
        (self.reset_after.as_secs() + round_up).max(1)
    }
}

/// Redis, which counts for all processes, is unavailable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the rate limit cannot be counted: redis is not reachable")]
pub struct LimitsDown;

/// The operation on a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Take,
    Peek,
    Refund,
}
