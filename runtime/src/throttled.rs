//! Throttled log lines: those that would repeat while a server is unavailable.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Between two lines.
const LOG_INTERVAL: Duration = Duration::from_secs(30);

/// Logs an event at once, and its repetitions every 30 s, with their number.
#[derive(Debug)]
pub struct Throttle(Mutex<State>);

#[derive(Debug)]
struct State {
    logged_at: Option<Instant>,
    times: u64,
}

impl Throttle {
    #[expect(clippy::new_without_default, reason = "it is a static")]
    pub const fn new() -> Self {
        Self(Mutex::new(State { logged_at: None, times: 0 }))
    }

    /// The number of events since the last line, this one included. `None`: the last line is too recent.
    pub fn record(&self) -> Option<u64> {
        self.record_at(Instant::now())
    }

    fn record_at(&self, now: Instant) -> Option<u64> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.times += 1;
        if state.logged_at.is_some_and(|logged_at| now < logged_at + LOG_INTERVAL) {
            return None;
        }
        state.logged_at = Some(now);
        Some(std::mem::take(&mut state.times))
    }
}

/// `tracing::warn!`, at most every 30 s from this line of code, with the number of `times`.
#[macro_export]
macro_rules! warn_throttled {
    ($($line:tt)*) => {{
        static THROTTLE: $crate::Throttle = $crate::Throttle::new();
        if let Some(times) = THROTTLE.record() {
            tracing::warn!(times, $($line)*);
        }
    }};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_repeats_is_logged_at_once_and_then_every_30_s_with_its_number() {
        let (throttle, begun) = (Throttle::new(), Instant::now());
        let told: Vec<_> =
            (0..70).map(|second| throttle.record_at(begun + Duration::from_secs(second))).collect();
        assert_eq!((told[0], told[30], told[60]), (Some(1), Some(30), Some(30)));
        assert_eq!(told.iter().flatten().count(), 3);
    }
}
