//! The open windows of this process, and what is left of them. They are sharded, so that requests of different keys do
//! not contend; ended windows are swept as the map grows, so that memory follows the keys in use and not all keys ever
//! used.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::rate::{Counter, Decision, Rate};
use crate::clock::Clock;

const SHARDS: usize = 16;
/// A shard is not swept below this number of windows.
const SWEEP_FROM: usize = 256;
/// A window ends here sooner than in Redis, by as long as the answer took.
const LATE: Duration = Duration::from_secs(1);

pub(super) struct Windows {
    clock: Clock,
    hasher: RandomState,
    shards: [Mutex<Shard>; SHARDS],
}

#[derive(Default)]
struct Shard {
    windows: HashMap<Counter, Window>,
    /// The number of windows that triggers a sweep.
    sweep_at: usize,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) limit: u32,
    /// Requests that this process may still admit.
    pub(super) permits: u32,
    /// Those, and the requests that it has admitted.
    pub(super) total: u32,
    /// Permits that nobody had when Redis was last asked.
    pub(super) left: u32,
    /// On the steady clock.
    pub(super) ends_at: Duration,
    /// No permit will come before the end.
    pub(super) closed: bool,
    /// Its end in milliseconds of Redis time, which tells it from the next one; 0 if this process alone counts.
    pub(super) id: u64,
}

/// Permits for other processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Returned {
    /// Of their window.
    pub(super) id: u64,
    pub(super) permits: u32,
    /// All that this process had before.
    pub(super) total: u32,
}

impl Window {
    pub(super) fn new(rate: Rate, permits: u32, ends_at: Duration) -> Self {
        Self { limit: rate.limit, permits, total: permits, left: 0, ends_at, closed: true, id: 0 }
    }

    /// Uses a permit if there is one.
    fn take(&mut self, now: Duration) -> Decision {
        let allowed = self.permits > 0;
        self.permits = self.permits.saturating_sub(1);
        Decision { allowed, ..self.peek(now) }
    }

    fn peek(&self, now: Duration) -> Decision {
        let remaining = self.permits + self.left;
        Decision {
            allowed: remaining > 0,
            limit: self.limit,
            remaining,
            reset_after: self.ends_at.saturating_sub(now),
        }
    }
}

impl Windows {
    pub(super) fn new(clock: Clock) -> Self {
        Self { clock, hasher: RandomState::new(), shards: std::array::from_fn(|_| Mutex::default()) }
    }

    pub(super) fn now(&self) -> Duration {
        self.clock.steady()
    }

    /// Uses a permit of the open window. `None`: there is no window, or it has no permit at the moment.
    pub(super) fn take(&self, counter: Counter, rate: Rate) -> Option<Decision> {
        self.with(counter, |shard, now| {
            let window = shard.open(counter, now, rate)?;
            (window.permits > 0 || window.closed).then(|| window.take(now))
        })
    }

    /// Uses a permit of the open window; opens one with all permits of the rate if there is none.
    pub(super) fn take_or_open(&self, counter: Counter, rate: Rate) -> Decision {
        self.with(counter, |shard, now| {
            if let Some(open) = shard.open(counter, now, rate) {
                return open.take(now);
            }
            let mut window = Window::new(rate, rate.limit, now + rate.window);
            let decision = window.take(now);
            shard.put(counter, window, now);
            decision
        })
    }

    /// Uses a request of `share`, which counts what this process had in the window before.
    pub(super) fn take_alone(&self, counter: Counter, rate: Rate, share: u32) -> Decision {
        self.with(counter, |shard, now| {
            if shard.open(counter, now, rate).is_none() {
                shard.put(counter, Window { closed: false, ..Window::new(rate, 0, now + rate.window) }, now);
            }
            let Some(window) = shard.open(counter, now, rate) else { return Decision::unused(rate) };
            if window.permits == 0 && window.total < share {
                (window.permits, window.total) = (1, window.total + 1);
            }
            let remaining = share.saturating_sub(window.total);
            Decision { limit: share, remaining, ..window.take(now) }
        })
    }

    /// The end in Redis of the window that this process knows, and the permits it has had there.
    pub(super) fn held(&self, counter: Counter) -> (u64, u32) {
        self.with(counter, |shard, now| {
            let known = shard.windows.get(&counter).filter(|window| window.id > 0 || window.ends_at > now);
            known.map_or((0, 0), |window| (window.id, window.total))
        })
    }

    /// The open window, without using it.
    pub(super) fn peek(&self, counter: Counter, rate: Rate) -> Option<Decision> {
        self.with(counter, |shard, now| shard.open(counter, now, rate).map(|window| window.peek(now)))
    }

    /// Adds what Redis granted to what this process had, if that counts in the same window: it may have ended here before
    /// it ends in Redis.
    pub(super) fn add(&self, counter: Counter, granted: Window, counts: bool) {
        self.with(counter, |shard, now| {
            let kept =
                shard.windows.get(&counter).filter(|kept| counts || (kept.id == 0 && kept.ends_at > now));
            let total = granted.total + kept.map_or(0, |kept| kept.total);
            // What was granted under another limit is not used.
            let kept = kept.filter(|kept| kept.limit == granted.limit);
            let permits = granted.permits + kept.map_or(0, |kept| kept.permits);
            shard.put(counter, Window { permits, total, ..granted }, now);
        });
    }

    /// Refuses what comes before the window ends, and this request.
    pub(super) fn close(&self, counter: Counter, rate: Rate) -> Option<Decision> {
        self.with(counter, |shard, now| {
            let window = shard.open(counter, now, rate)?;
            window.closed = true;
            Some(window.take(now))
        })
    }

    /// Takes back all permits of the open window.
    pub(super) fn take_back(&self, counter: Counter) -> Option<Returned> {
        self.with(counter, |shard, now| {
            let window = shard.windows.get_mut(&counter).filter(|window| window.ends_at > now)?;
            window.closed = false;
            let (permits, total) = (std::mem::take(&mut window.permits), window.total);
            window.total = total.saturating_sub(permits);
            Some(Returned { id: window.id, permits, total })
        })
    }

    /// Counters with unused permits.
    pub(super) fn unused(&self) -> Vec<Counter> {
        let of_shard = |shard: &Mutex<Shard>| {
            let shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            let unused = shard.windows.iter().filter(|(_, window)| window.permits > 0);
            unused.map(|(counter, _)| *counter).collect::<Vec<_>>()
        };
        self.shards.iter().flat_map(of_shard).collect()
    }

    /// A number below `count`, the same for the same counter.
    pub(super) fn slot(&self, counter: Counter, count: usize) -> usize {
        #[expect(clippy::cast_possible_truncation, reason = "any bits of the hash will do")]
        let hash = self.hasher.hash_one(counter) as usize;
        hash % count
    }

    fn with<T>(&self, counter: Counter, step: impl FnOnce(&mut Shard, Duration) -> T) -> T {
        let shard = &self.shards[self.slot(counter, SHARDS)];
        step(&mut shard.lock().unwrap_or_else(PoisonError::into_inner), self.now())
    }
}

impl Shard {
    /// The window that has not ended, with the limit as it is now.
    fn open(&mut self, counter: Counter, now: Duration, rate: Rate) -> Option<&mut Window> {
        let window = self.windows.get_mut(&counter).filter(|window| window.ends_at > now)?;
        if window.limit != rate.limit {
            // Redis counts what was used for all processes: it has to be asked.
            let counted_here = window.id == 0 && window.closed;
            let used = window.total.saturating_sub(window.permits);
            window.permits = if counted_here { rate.limit.saturating_sub(used) } else { 0 };
            window.total = used + window.permits;
            window.closed = counted_here;
            window.limit = rate.limit;
        }
        Some(window)
    }

    fn put(&mut self, counter: Counter, window: Window, now: Duration) {
        if self.windows.insert(counter, window).is_none() {
            self.sweep(now);
        }
    }

    /// Costs as much as the inserts since the last sweep, so each insert has constant amortized cost.
    fn sweep(&mut self, now: Duration) {
        if self.windows.len() < self.sweep_at.max(SWEEP_FROM) {
            return;
        }
        self.windows.retain(|_, window| window.ends_at + LATE > now);
        self.sweep_at = self.windows.len() * 2;
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use proptest::prelude::*;

    use super::*;

    const MINUTE: Duration = Duration::from_mins(1);
    const KEY: Counter = Counter::Key(1, "ban_status");

    fn new_windows() -> (Clock, Windows) {
        let clock = Clock::manual(DateTime::from_timestamp(1_000_000, 0).unwrap());
        (clock.clone(), Windows::new(clock))
    }

    #[test]
    fn the_first_request_opens_the_window_and_exactly_the_limit_passes() {
        let (clock, windows) = new_windows();
        let rate = Rate::per(3, MINUTE);
        let decisions: Vec<_> = (0..5).map(|_| windows.take_or_open(KEY, rate)).collect();
        assert_eq!(
            decisions.iter().map(|d| (d.allowed, d.remaining)).collect::<Vec<_>>(),
            [(true, 2), (true, 1), (true, 0), (false, 0), (false, 0)]
        );
        clock.advance(Duration::from_millis(59_999));
        let last = windows.take_or_open(KEY, rate);
        assert_eq!((last.allowed, last.reset_after), (false, Duration::from_millis(1)));
        clock.advance(Duration::from_millis(1));
        let next = windows.take_or_open(KEY, rate);
        assert_eq!((next.allowed, next.remaining, next.reset_after), (true, 2, MINUTE));
        assert!(windows.take_or_open(Counter::Key(2, "ban_status"), rate).allowed, "keys share no window");
        assert!(windows.take_or_open(Counter::Key(1, "mute_status"), rate).allowed, "nor do limits");
    }

    #[test]
    fn what_was_used_of_a_window_counts_when_its_limit_changes() {
        let (_, windows) = new_windows();
        for _ in 0..3 {
            windows.take_or_open(KEY, Rate::per(3, MINUTE));
        }
        assert_eq!(windows.take_or_open(KEY, Rate::per(30, MINUTE)).remaining, 26);
        assert!(!windows.take_or_open(KEY, Rate::per(3, MINUTE)).allowed);
    }

    #[test]
    fn a_clock_set_back_does_not_stretch_a_window() {
        let (clock, windows) = new_windows();
        let rate = Rate::per(1, MINUTE);
        windows.take_or_open(KEY, rate);
        clock.set(DateTime::from_timestamp(990_000, 0).unwrap());
        assert_eq!(windows.take_or_open(KEY, rate).reset_after, MINUTE);
    }

    #[test]
    fn permits_that_were_granted_end_with_their_window_and_are_given_back_once() {
        let (clock, windows) = new_windows();
        let rate = Rate::per(10, MINUTE);
        let granted = |id| Window { left: 6, closed: false, id, ..Window::new(rate, 2, MINUTE) };
        assert_eq!(windows.take(KEY, rate), None, "nothing was granted");
        windows.add(KEY, granted(7), false);
        let remaining = || windows.take(KEY, rate).map(|decision| decision.remaining);
        assert_eq!([remaining(), remaining(), remaining()], [Some(7), Some(6), None]);
        windows.add(KEY, granted(7), true);
        windows.add(KEY, granted(7), true);
        assert_eq!(windows.take_back(KEY), Some(Returned { id: 7, permits: 4, total: 6 }));
        let nothing = Returned { id: 7, permits: 0, total: 2 };
        assert_eq!((windows.take_back(KEY), windows.take(KEY, rate)), (Some(nothing), None));
        assert!(!windows.close(KEY, rate).unwrap().allowed);
        assert!(!windows.take(KEY, rate).unwrap().allowed, "closed until its end");
        windows.add(KEY, granted(8), false);
        windows.add(KEY, granted(9), false);
        let last = Returned { id: 9, permits: 2, total: 2 };
        assert_eq!(windows.take_back(KEY), Some(last), "permits of another window do not count");
        windows.add(KEY, granted(9), true);
        clock.advance(MINUTE);
        assert_eq!((windows.take(KEY, rate), windows.take_back(KEY)), (None, None));
        windows.add(KEY, Window { permits: 0, total: 0, ends_at: 2 * MINUTE, ..granted(9) }, true);
        assert!(windows.take(KEY, rate).unwrap().allowed, "it had not ended in Redis");
    }

    #[test]
    fn a_process_that_counts_alone_stays_within_its_share_and_reports_it() {
        let (clock, windows) = new_windows();
        let rate = Rate::per(100, MINUTE);
        let alone = || windows.take_alone(KEY, rate, 5).allowed;
        windows.add(KEY, Window { closed: false, id: 7, ..Window::new(rate, 3, MINUTE) }, false);
        assert_eq!(
            [alone(), alone(), alone(), alone(), alone(), alone()],
            [true, true, true, true, true, false]
        );
        assert_eq!(windows.held(KEY), (7, 5), "two more than Redis knows");
        clock.advance(MINUTE);
        assert!(alone(), "in the next window");
        assert_eq!(windows.held(KEY), (0, 1));
        windows.add(KEY, Window { closed: false, id: 8, ..Window::new(rate, 2, 2 * MINUTE) }, true);
        assert_eq!(windows.held(KEY), (8, 3));
        clock.advance(MINUTE);
        assert_eq!(windows.held(KEY), (8, 3), "Redis knows whether it has ended");
    }

    #[test]
    fn memory_follows_the_keys_in_use() {
        let (clock, windows) = new_windows();
        for n in 0..200_000 {
            windows.take_or_open(Counter::Key(n, "ban_status"), Rate::per(1, Duration::from_secs(1)));
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
            pauses in proptest::collection::vec(0_u64..900, 1..200),
        ) {
            let (clock, windows) = new_windows();
            let rate = Rate::per(limit, Duration::from_secs(1));
            let (mut ends, mut passed) = (Duration::ZERO, 0);
            for pause in pauses {
                clock.advance(Duration::from_millis(pause));
                let now = clock.steady();
                if now >= ends {
                    (ends, passed) = (now + rate.window, 0);
                }
                let decision = windows.take_or_open(KEY, rate);
                prop_assert_eq!(decision.allowed, passed < limit);
                passed += u32::from(decision.allowed);
                prop_assert_eq!(decision.remaining, limit - passed);
            }
        }
    }
}
