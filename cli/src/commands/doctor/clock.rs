//! Compares a server's clock with this machine's. Expiries, schedules and rate limits use both.

use std::ops::Range;

use chrono::TimeDelta;
use entities::Timestamp;

use super::report::Problem;

/// Synchronized clocks differ by far less.
const LARGEST_DIFFERENCE: TimeDelta = TimeDelta::seconds(2);

/// `theirs` was read within the range of this machine's time.
pub(super) fn compare(server: &str, theirs: Timestamp, ours: Range<Timestamp>) -> Result<String, Problem> {
    let ahead = (theirs - ours.end).max(TimeDelta::zero());
    let behind = (ours.start - theirs).max(TimeDelta::zero());
    if ahead.max(behind) <= LARGEST_DIFFERENCE {
        return Ok(format!("differs from this machine's by at most {} s", LARGEST_DIFFERENCE.num_seconds()));
    }
    let (by, how) = if ahead > behind { (ahead, "ahead of") } else { (behind, "behind") };
    let what = format!("the clock of {server} is {} s {how} this machine's", by.num_seconds());
    Err(Problem::new(what, "synchronize the clocks of both machines with a time server (NTP)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_may_differ_by_two_seconds_beside_the_time_of_the_answer() {
        let at = |second: i64| Timestamp::from_timestamp(1_700_000_000 + second, 0).unwrap();
        let compared =
            |theirs: i64| compare("Redis", at(theirs), at(0)..at(3)).map_err(|problem| problem.what);
        for near in [-2, 0, 3, 5] {
            assert!(compared(near).is_ok(), "{near}");
        }
        assert_eq!(compared(-3).unwrap_err(), "the clock of Redis is 3 s behind this machine's");
        assert_eq!(compared(63).unwrap_err(), "the clock of Redis is 60 s ahead of this machine's");
    }
}
