//! Callers that share a limit, such as the game servers of a key: each is sure of its share of a window while the others
//! want theirs too, and may use what they leave.
//!
//! Several processes know of each other's callers by Redis, a second late; without it each knows its own.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use redis::Script;

use super::rate::{Counter, Decision, Rate};
use crate::clock::Clock;
use crate::redis::Redis;
use crate::shutdown::Shutdown;

/// Further callers of a counter are one, [`Sharer::UNNAMED`].
const CALLERS_MAX: usize = 4_000;
const SYNC_INTERVAL: Duration = Duration::from_secs(1);
/// Counters in one call to Redis.
const COUNTERS_PER_CALL: usize = 256;

/// `KEYS` sets of callers by the time, on the clock of Redis, until which they share; ARGV for each its number of callers
/// and then each caller with the milliseconds it stays. Returns how many callers each set has.
const SHARE: &str = r"
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local at, counts = 1, {}
for i, key in ipairs(KEYS) do
  local callers = tonumber(ARGV[at])
  for n = 1, callers do
    local ends = now + ARGV[at + 2 * n]
    redis.call('ZADD', key, string.format('%.0f', ends), ARGV[at + 2 * n - 1])
  end
  at = at + 2 * callers + 1
  redis.call('ZREMRANGEBYSCORE', key, '-inf', string.format('%.0f', now))
  redis.call('PEXPIRE', key, 180000)
  counts[i] = redis.call('ZCARD', key)
end
return counts
";

/// A caller of a counter, by a hash of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sharer(pub u64);

impl Sharer {
    /// All that are not told apart.
    pub const UNNAMED: Self = Self(0);
}

#[derive(Clone)]
pub(super) struct Sharers(Arc<Inner>);

struct Inner {
    clock: Clock,
    groups: Mutex<HashMap<Counter, Group>>,
}

#[derive(Default)]
struct Group {
    callers: HashMap<Sharer, Caller>,
    /// In all processes, when Redis was last asked.
    everywhere: usize,
    swept_at: Duration,
}

struct Caller {
    /// On the steady clock, as are the others.
    until: Duration,
    /// It was told to come back at this time, so it is not refused for coming then.
    due: Option<Duration>,
    /// What Redis knows.
    told: Duration,
    /// The window in which it used so many calls.
    window_ends: Duration,
    used: u32,
}

impl Caller {
    fn used_in(&self, window_ends: Duration, window: Duration) -> u32 {
        // The end of a window is known to a few milliseconds.
        if self.window_ends + window / 2 > window_ends { self.used } else { 0 }
    }
}

impl Group {
    fn sweep(&mut self, now: Duration) {
        if now >= self.swept_at + SYNC_INTERVAL {
            self.swept_at = now;
            // One that left is kept until Redis knows it.
            self.callers.retain(|_, caller| caller.until > now || caller.told > now);
        }
    }

    fn count(&self) -> usize {
        self.callers.len().max(self.everywhere).max(1)
    }

    /// Whether a call of this window fits what the others leave. Of its share a caller is kept what it would use until the
    /// end of the window at an even rate; what it has not used by then is for all.
    fn admits(&self, who: Sharer, rate: Rate, window_ends: Duration, window: Decision) -> bool {
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let known = self.callers.contains_key(&who);
        let count = number(self.count() + usize::from(!known));
        let share = (rate.limit / count).max(1);
        let used = |caller: &Caller| caller.used_in(window_ends, rate.window);
        if self.callers.get(&who).map_or(0, used) < share {
            return true;
        }
        let rest = window.reset_after.as_secs_f64() / rate.window.as_secs_f64();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most the share")]
        let kept = (f64::from(share) * rest.min(1.0)).ceil() as u32;
        let (mut used_here, mut reserved) = (0_u32, 0_u32);
        for (other, caller) in &self.callers {
            let used = used(caller);
            used_here += used;
            if *other != who {
                reserved += share.saturating_sub(used).min(kept);
            }
        }
        let elsewhere = count.saturating_sub(number(self.callers.len()));
        let used_elsewhere = rate.limit.saturating_sub(window.remaining).saturating_sub(used_here);
        reserved += elsewhere
            .saturating_mul(share)
            .saturating_sub(used_elsewhere)
            .min(elsewhere.saturating_mul(kept));
        window.remaining > reserved
    }
}

impl Sharers {
    pub(super) fn new(clock: Clock) -> Self {
        Self(Arc::new(Inner { clock, groups: Mutex::default() }))
    }

    /// Whether the caller may use another call of the window.
    pub(super) fn admits(&self, counter: Counter, who: Sharer, rate: Rate, window: Decision) -> bool {
        let now = self.0.clock.steady();
        let mut groups = self.lock();
        let Some(group) = groups.get_mut(&counter) else { return true };
        group.sweep(now);
        let comes_as_told = |caller: &Caller| caller.due.is_some_and(|due| due <= now);
        group.callers.get(&who).is_some_and(comes_as_told)
            || group.admits(who, rate, now + window.reset_after, window)
    }

    /// The caller used a call of the window; it shares this one and the next.
    pub(super) fn used(&self, counter: Counter, who: Sharer, rate: Rate, window: Decision) {
        let now = self.0.clock.steady();
        let window_ends = now + window.reset_after;
        self.change(counter, who, |caller| {
            caller.used = caller.used_in(window_ends, rate.window) + 1;
            caller.window_ends = window_ends;
            caller.due = None;
            caller.until = caller.until.max(window_ends + rate.window);
        });
    }

    /// The caller comes back after this time, and shares until so much later, not for two windows.
    pub(super) fn expect(&self, counter: Counter, who: Sharer, time: Duration, grace: Duration) {
        let due = self.0.clock.steady() + time;
        self.change(counter, who, |caller| {
            (caller.due, caller.until) = (Some(due), due + grace);
        });
    }

    fn change(&self, counter: Counter, who: Sharer, change: impl FnOnce(&mut Caller)) {
        let now = self.0.clock.steady();
        let mut groups = self.lock();
        if !groups.contains_key(&counter) {
            groups.retain(|_, group| {
                group.sweep(now);
                !group.callers.is_empty()
            });
        }
        let group = groups.entry(counter).or_default();
        let fits = group.callers.contains_key(&who) || group.callers.len() < CALLERS_MAX;
        let who = if fits { who } else { Sharer::UNNAMED };
        let new = || Caller { until: now, due: None, told: now, window_ends: now, used: 0 };
        change(group.callers.entry(who).or_insert_with(new));
    }

    /// How many callers of this process were told to come back within this time.
    pub(super) fn expected(&self, counter: Counter, within: Duration) -> usize {
        let end = self.0.clock.steady() + within;
        let due = |caller: &&Caller| caller.due.is_some_and(|due| due <= end);
        self.lock().get(&counter).map_or(0, |group| group.callers.values().filter(due).count())
    }

    /// The callers that share, at least 1.
    pub(super) fn count(&self, counter: Counter) -> usize {
        let now = self.0.clock.steady();
        let mut groups = self.lock();
        groups.get_mut(&counter).map_or(1, |group| {
            group.sweep(now);
            group.count()
        })
    }

    /// Learns from other processes until shutdown begins.
    pub(super) fn sync(&self, redis: Redis, shutdown: &Shutdown) {
        let (sharers, soft) = (self.clone(), shutdown.soft().clone());
        shutdown.services().spawn(async move {
            let script = Script::new(SHARE);
            let mut tick = tokio::time::interval(SYNC_INTERVAL);
            tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
            while soft.run_until_cancelled(tick.tick()).await.is_some() {
                sharers.sync_once(&redis, &script).await;
            }
        });
    }

    async fn sync_once(&self, redis: &Redis, script: &Script) {
        let changed = self.changed();
        for part in changed.chunks(COUNTERS_PER_CALL) {
            let mut call = script.prepare_invoke();
            for (counter, callers) in part {
                call.key(redis.key(&format!("sharers:{counter}"))).arg(callers.len());
                for (who, milliseconds) in callers {
                    call.arg(format!("{:016x}", who.0)).arg(*milliseconds);
                }
            }
            let counts: Option<Vec<usize>> = redis.invoke(&call).await.ok();
            let mut groups = self.lock();
            for (n, (counter, _)) in part.iter().enumerate() {
                let known = counts.as_ref().and_then(|counts| counts.get(n));
                if let Some(group) = groups.get_mut(counter) {
                    // Without Redis a process knows only its own.
                    group.everywhere = known.copied().unwrap_or_default();
                }
            }
        }
    }

    /// All counters with the callers that Redis does not know as they are, and the milliseconds that each stays.
    fn changed(&self) -> Vec<(Counter, Vec<(Sharer, u64)>)> {
        let now = self.0.clock.steady();
        let mut groups = self.lock();
        groups.retain(|_, group| {
            group.sweep(now);
            !group.callers.is_empty()
        });
        let news = |group: &mut Group| {
            let callers = group.callers.iter_mut().filter(|(_, caller)| caller.told != caller.until);
            let told = |(who, caller): (&Sharer, &mut Caller)| {
                caller.told = caller.until;
                (*who, u64::try_from(caller.until.saturating_sub(now).as_millis()).unwrap_or(u64::MAX))
            };
            callers.map(told).collect()
        };
        groups.iter_mut().map(|(counter, group)| (*counter, news(group))).collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Counter, Group>> {
        self.0.groups.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
