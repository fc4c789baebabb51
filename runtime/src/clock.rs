//! The one place that reads the time of day. Everything else is handed a [`Clock`], so tests set the time.
//!
//! Times are cut to microseconds: what Postgres stores. A value compares equal before and after a round trip.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use chrono::{DateTime, SubsecRound, Utc};

/// Digits of a second that are kept.
const PRECISION: u16 = 6;

#[derive(Clone, Debug)]
pub struct Clock(Source);

#[derive(Clone, Debug)]
enum Source {
    System,
    Manual(Arc<Mutex<DateTime<Utc>>>),
}

impl Clock {
    pub fn system() -> Self {
        Self(Source::System)
    }

    /// A clock for tests: it stands still until [`advance`](Self::advance) or [`set`](Self::set). Clones share it.
    pub fn manual(start: DateTime<Utc>) -> Self {
        Self(Source::Manual(Arc::new(Mutex::new(start))))
    }

    #[expect(clippy::disallowed_methods, reason = "the one place that may read the system time")]
    pub fn now(&self) -> DateTime<Utc> {
        match &self.0 {
            Source::System => Utc::now(),
            Source::Manual(time) => *time.lock().unwrap_or_else(PoisonError::into_inner),
        }
        .trunc_subsecs(PRECISION)
    }

    /// Moves a manual clock forward. A system clock cannot be moved: that is a mistake in the test.
    pub fn advance(&self, by: Duration) {
        self.change(|time| time + by);
    }

    /// Sets a manual clock, also backwards.
    pub fn set(&self, to: DateTime<Utc>) {
        self.change(|_| to);
    }

    fn change(&self, step: impl FnOnce(DateTime<Utc>) -> DateTime<Utc>) {
        match &self.0 {
            Source::System => debug_assert!(false, "only a manual clock can be moved"),
            Source::Manual(time) => {
                let mut time = time.lock().unwrap_or_else(PoisonError::into_inner);
                *time = step(*time);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manual_clock_moves_only_when_told_and_clones_share_it() {
        let start = DateTime::from_timestamp(1_700_000_000, 123_456_789).unwrap();
        let clock = Clock::manual(start);
        let other = clock.clone();
        assert_eq!(clock.now(), DateTime::from_timestamp(1_700_000_000, 123_456_000).unwrap());
        other.advance(Duration::from_secs(90));
        assert_eq!(clock.now().timestamp(), 1_700_000_090);
        clock.set(start);
        assert_eq!(other.now().timestamp(), 1_700_000_000);
    }

    #[test]
    fn system_time_has_no_more_than_microseconds() {
        assert_eq!(Clock::system().now().timestamp_subsec_nanos() % 1_000, 0);
    }
}
