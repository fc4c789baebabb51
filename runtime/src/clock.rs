//! The only place that reads the time of day. All other code takes a [`Clock`], so tests set the time.
//!
//! The time of day may step forward or back when it is corrected. Code that measures elapsed time uses
//! [`Clock::steady`].
//!
//! Times are truncated to microseconds, the precision of Postgres: a value stays equal across a round trip.

use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use chrono::{DateTime, SubsecRound, Utc};

/// Digits of a second that are kept.
const SUBSECOND_DIGITS: u16 = 6;

#[derive(Clone, Debug)]
pub struct Clock(Source);

#[derive(Clone, Debug)]
enum Source {
    System,
    Manual(Arc<Mutex<Manual>>),
}

#[derive(Debug)]
struct Manual {
    now: DateTime<Utc>,
    passed: Duration,
}

/// The origin of steady time.
static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);

impl Clock {
    pub fn system() -> Self {
        Self(Source::System)
    }

    /// A clock for tests: it advances only by [`advance`](Self::advance) or [`set`](Self::set). Clones share it.
    pub fn manual(start: DateTime<Utc>) -> Self {
        Self(Source::Manual(Arc::new(Mutex::new(Manual { now: start, passed: Duration::ZERO }))))
    }

    #[expect(clippy::disallowed_methods, reason = "the one place that may read the system time")]
    pub fn now(&self) -> DateTime<Utc> {
        match &self.0 {
            Source::System => Utc::now(),
            Source::Manual(time) => time.lock().unwrap_or_else(PoisonError::into_inner).now,
        }
        .trunc_subsecs(SUBSECOND_DIGITS)
    }

    /// Elapsed time since a fixed origin within this process. It never steps and includes time in which the process is
    /// stopped. It has no relation to the time of day or to other processes.
    pub fn steady(&self) -> Duration {
        match &self.0 {
            Source::System => BEGAN.elapsed(),
            Source::Manual(time) => time.lock().unwrap_or_else(PoisonError::into_inner).passed,
        }
    }

    /// Advances a manual clock. A system clock cannot be moved: that is a bug in the test.
    pub fn advance(&self, by: Duration) {
        self.change(|time| {
            time.now += by;
            time.passed += by;
        });
    }

    /// Sets the time of day of a manual clock, also backwards; steady time is unaffected.
    pub fn set(&self, to: DateTime<Utc>) {
        self.change(|time| time.now = to);
    }

    fn change(&self, step: impl FnOnce(&mut Manual)) {
        match &self.0 {
            Source::System => debug_assert!(false, "only a manual clock can be moved"),
            Source::Manual(time) => step(&mut time.lock().unwrap_or_else(PoisonError::into_inner)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manual_clock_moves_only_by_its_setters_and_clones_share_it() {
        let start = DateTime::from_timestamp(1_700_000_000, 123_456_789).unwrap();
        let clock = Clock::manual(start);
        let other = clock.clone();
        assert_eq!(clock.now(), DateTime::from_timestamp(1_700_000_000, 123_456_000).unwrap());
        other.advance(Duration::from_secs(90));
        assert_eq!(clock.now().timestamp(), 1_700_000_090);
        clock.set(start);
        assert_eq!(other.now().timestamp(), 1_700_000_000);
        assert_eq!(other.steady(), Duration::from_secs(90), "setting the time is not time passing");
    }

    #[test]
    fn steady_time_of_the_system_goes_forward() {
        let before = Clock::system().steady();
        std::thread::sleep(Duration::from_millis(2));
        assert!(Clock::system().steady() >= before + Duration::from_millis(2));
    }

    #[test]
    fn system_time_has_no_more_than_microseconds() {
        assert_eq!(Clock::system().now().timestamp_subsec_nanos() % 1_000, 0);
    }
}
