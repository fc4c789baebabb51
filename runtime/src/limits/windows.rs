//! The open windows of this process, and their remaining permits. They are sharded, so that requests of
//! different keys do not contend; ended windows are swept as the map grows, so that memory follows the keys
//! in use and not all keys ever used.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::rate::{Counter, Decision, Rate};
use crate::clock::Clock;

const SHARDS: usize = 16;
/// A shard is not swept below this number of windows.
const SWEEP_FROM: usize = 256;
/// The answer of Redis took time, so a window ends here before it ends there: it is kept to report what was admitted.
const KEPT_AFTER_END: Duration = Duration::from_secs(1);

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
    /// Permits not granted to any process when Redis was last asked.
    pub(super) left: u32,
    /// On the steady clock.
    pub(super) ends_at: Duration,
    /// Redis has no more permits before the end, or this process counts alone.
    pub(super) exhausted: bool,
    /// Its end in milliseconds of Redis time, which tells it from the next one; 0 if this process alone counts.
    pub(super) id: u64,
}

/// Permits for other processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Returned {
    /// Of their window.
    pub(super) id: u64,
    pub(super) permits: u32,
    /// All permits that this process had before.
    pub(super) total: u32,
}

impl Window {
    pub(super) fn new(rate: Rate, permits: u32, ends_at: Duration) -> Self {
        Self { limit: rate.limit, permits, total: permits, left: 0, ends_at, exhausted: true, id: 0 }
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
            (window.permits > 0 || window.exhausted).then(|| window.take(now))
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
                shard.put(
                    counter,
                    Window { exhausted: false, ..Window::new(rate, 0, now + rate.window) },
                    now,
                );
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
            // Permits granted under another limit are not used.
            let kept = kept.filter(|kept| kept.limit == granted.limit);
            let permits = granted.permits + kept.map_or(0, |kept| kept.permits);
            shard.put(counter, Window { permits, total, ..granted }, now);
        });
    }

    /// Refuses this request, and later ones until the window ends or is reopened.
    pub(super) fn close(&self, counter: Counter, rate: Rate) -> Option<Decision> {
        self.with(counter, |shard, now| {
            let window = shard.open(counter, now, rate)?;
            window.exhausted = true;
            Some(window.take(now))
        })
    }

    /// Permits may be available again.
    pub(super) fn reopen(&self, counter: Counter) {
        self.with(counter, |shard, _| {
            if let Some(window) = shard.windows.get_mut(&counter).filter(|window| window.id > 0) {
                window.exhausted = false;
            }
        });
    }

    /// Takes back all permits of the open window.
    pub(super) fn take_back(&self, counter: Counter) -> Option<Returned> {
        self.with(counter, |shard, now| {
            let window = shard.windows.get_mut(&counter).filter(|window| window.ends_at > now)?;
            window.exhausted = false;
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
            let counted_here = window.id == 0 && window.exhausted;
            let used = window.total.saturating_sub(window.permits);
            window.permits = if counted_here { rate.limit.saturating_sub(used) } else { 0 };
            window.total = used + window.permits;
            window.exhausted = counted_here;
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
        self.windows.retain(|_, window| window.ends_at + KEPT_AFTER_END > now);
        self.sweep_at = self.windows.len() * 2;
    }
}

#[cfg(test)]
mod tests;
