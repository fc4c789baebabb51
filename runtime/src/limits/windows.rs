//! A rate, the result of a request against it, and windows in memory. These are sharded, so that requests of different
//! keys do not contend; ended windows are swept as the map grows, so that memory follows the keys in use and not all keys
//! ever used.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::clock::Clock;

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

const SHARDS: usize = 16;
/// A shard is not swept below this number of windows.
const SWEEP_FROM: usize = 256;

pub(super) struct Windows {
    clock: Clock,
    hasher: RandomState,
    shards: [Mutex<Shard>; SHARDS],
}

#[derive(Default)]
struct Shard {
    windows: HashMap<String, Window>,
    /// The number of windows that triggers a sweep.
    sweep_at: usize,
}

#[derive(Clone, Copy)]
struct Window {
    used: u32,
    /// Milliseconds since 1970.
    ends_at: i64,
}

impl Windows {
    pub(super) fn new(clock: Clock) -> Self {
        Self { clock, hasher: RandomState::new(), shards: std::array::from_fn(|_| Mutex::default()) }
    }

    pub(super) fn step(&self, key: &str, rate: Rate, step: Step) -> Decision {
        let now = self.clock.now().timestamp_millis();
        #[expect(clippy::cast_possible_truncation, reason = "any bits of the hash will do")]
        let shard = self.hasher.hash_one(key) as usize % SHARDS;
        let mut shard = self.shards[shard].lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = Window { used: 0, ends_at: now.saturating_add(rate.window_millis()) };
        let window = match shard.windows.get(key) {
            // Neither a clock set back nor a shortened rate window may stretch an open window.
            Some(open) if open.ends_at > now => Window { ends_at: open.ends_at.min(fresh.ends_at), ..*open },
            _ => fresh,
        };
        let allowed = window.used < rate.limit;
        let used = match step {
            Step::Take if allowed => window.used + 1,
            Step::Refund => window.used.saturating_sub(1),
            Step::Take | Step::Peek => window.used,
        };
        shard.put(key, Window { used, ..window }, now);
        Decision {
            allowed,
            limit: rate.limit,
            remaining: rate.limit.saturating_sub(used),
            reset_after: Duration::from_millis(u64::try_from(window.ends_at - now).unwrap_or(0)),
        }
    }
}

impl Shard {
    fn put(&mut self, key: &str, window: Window, now: i64) {
        if window.used == 0 {
            self.windows.remove(key);
        } else if let Some(open) = self.windows.get_mut(key) {
            *open = window;
        } else {
            self.windows.insert(key.to_owned(), window);
            self.sweep(now);
        }
    }

    /// Costs as much as the inserts since the last sweep, so each insert has constant amortized cost.
    fn sweep(&mut self, now: i64) {
        if self.windows.len() < self.sweep_at.max(SWEEP_FROM) {
            return;
        }
        self.windows.retain(|_, window| window.ends_at > now);
        self.sweep_at = self.windows.len() * 2;
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use proptest::prelude::*;

    use super::*;

    const MINUTE: Duration = Duration::from_mins(1);

    fn at(seconds: i64) -> (Clock, Windows) {
        let clock = Clock::manual(DateTime::from_timestamp(seconds, 0).unwrap());
        (clock.clone(), Windows::new(clock))
    }

    #[test]
    fn the_first_request_opens_the_window_and_exactly_the_limit_passes() {
        let (clock, windows) = at(1_000_000);
        let rate = Rate::per(3, MINUTE);
        let decisions: Vec<_> = (0..5).map(|_| windows.step("k", rate, Step::Take)).collect();
        assert_eq!(
            decisions.iter().map(|d| (d.allowed, d.remaining)).collect::<Vec<_>>(),
            [(true, 2), (true, 1), (true, 0), (false, 0), (false, 0)]
        );
        clock.advance(Duration::from_millis(59_999));
        let last = windows.step("k", rate, Step::Take);
        assert_eq!((last.allowed, last.reset_after), (false, Duration::from_millis(1)));
        clock.advance(Duration::from_millis(1));
        let next = windows.step("k", rate, Step::Take);
        assert_eq!((next.allowed, next.remaining, next.reset_after), (true, 2, MINUTE));
        assert!(windows.step("other", rate, Step::Take).allowed, "keys do not share a window");
    }

    #[test]
    fn peeking_uses_nothing_and_a_refund_of_the_only_request_closes_the_window() {
        let (clock, windows) = at(1_000_000);
        let rate = Rate::per(1, Duration::from_hours(1));
        assert!(windows.step("k", rate, Step::Peek).allowed);
        assert!(windows.step("k", rate, Step::Take).allowed);
        assert!(!windows.step("k", rate, Step::Peek).allowed);
        clock.advance(MINUTE);
        assert_eq!(windows.step("k", rate, Step::Refund).remaining, 1);
        let again = windows.step("k", rate, Step::Take);
        assert_eq!((again.allowed, again.reset_after), (true, rate.window));
        windows.step("k", rate, Step::Refund);
        windows.step("k", rate, Step::Refund);
        assert!(windows.step("k", rate, Step::Take).allowed);
        assert!(
            !windows.step("k", rate, Step::Take).allowed,
            "two refunds must not add up to a second request"
        );
    }

    #[test]
    fn a_clock_set_back_does_not_stretch_a_window() {
        let (clock, windows) = at(1_000_000);
        let rate = Rate::per(1, MINUTE);
        windows.step("k", rate, Step::Take);
        clock.set(DateTime::from_timestamp(990_000, 0).unwrap());
        assert_eq!(windows.step("k", rate, Step::Take).reset_after, MINUTE);
    }

    #[test]
    fn memory_follows_the_keys_in_use() {
        let (clock, windows) = at(1_000_000);
        for n in 0..200_000 {
            windows.step(&format!("k{n}"), Rate::per(1, Duration::from_secs(1)), Step::Take);
            clock.advance(Duration::from_millis(10));
        }
        // 100 keys are open at any moment; a shard holds at most SWEEP_FROM before it is swept.
        let held: usize = windows.shards.iter().map(|shard| shard.lock().unwrap().windows.len()).sum();
        assert!(held <= SHARDS * SWEEP_FROM, "{held} windows for 100 open ones");
    }

    proptest! {
        #[test]
        fn no_window_ever_passes_more_than_its_limit(
            limit in 0_u32..6,
            steps in proptest::collection::vec((0_u64..900, prop::sample::select(vec![Step::Take, Step::Peek])), 1..200),
        ) {
            let (clock, windows) = at(1_000_000);
            let rate = Rate::per(limit, Duration::from_secs(1));
            let (mut ends, mut passed) = (i64::MIN, 0);
            for (pause, step) in steps {
                clock.advance(Duration::from_millis(pause));
                let now = clock.now().timestamp_millis();
                if now >= ends {
                    passed = 0;
                }
                let decision = windows.step("k", rate, step);
                prop_assert_eq!(decision.allowed, passed < limit);
                if step == Step::Take && decision.allowed {
                    if passed == 0 {
                        ends = now + 1_000;
                    }
                    passed += 1;
                }
                prop_assert_eq!(decision.remaining, limit - passed);
            }
        }
    }
}
