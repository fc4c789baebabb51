//! Rates: a fixed window per key, opened by the first request in it, never more than N requests in one window
//! (docs/rules.md 3). One process counts in memory; several count together in Redis, on Redis time.

use std::sync::Arc;

use crate::clock::Clock;
use crate::redis::Redis;
use crate::shutdown::Shutdown;

mod process_count;
mod shared;
mod windows;

use process_count::ProcessCount;
use shared::SharedWindows;
pub use windows::{Decision, LimitsDown, Rate};
use windows::{Step, Windows};

#[derive(Clone)]
pub struct Limits(Arc<Inner>);

struct Inner {
    /// The counts of a single process; with Redis, the fallback while it is down.
    local: Windows,
    shared: Option<(SharedWindows, ProcessCount)>,
}

impl Limits {
    pub fn in_process(clock: Clock) -> Self {
        Self(Arc::new(Inner { local: Windows::new(clock), shared: None }))
    }

    /// Windows in Redis; `clock` times the windows of the fallback.
    pub fn redis(redis: Redis, clock: Clock) -> Self {
        let shared = (SharedWindows::new(redis.clone()), ProcessCount::new(redis));
        Self(Arc::new(Inner { local: Windows::new(clock), shared: Some(shared) }))
    }

    /// Uses one request of the rate if one is left.
    pub async fn take(&self, key: &str, rate: Rate) -> Result<Decision, LimitsDown> {
        self.step(key, rate, Step::Take).await
    }

    /// Like [`take`](Self::take), and never fails: while Redis is down this process allows its share of the rate,
    /// rate / known API processes, at least 1.
    pub async fn take_or_fallback(&self, key: &str, rate: Rate) -> Decision {
        match self.take(key, rate).await {
            Ok(decision) => decision,
            Err(LimitsDown) => self.0.local.step(key, self.share_of(rate), Step::Take),
        }
    }

    /// The result that [`take`](Self::take) would return, without using a request.
    pub async fn peek(&self, key: &str, rate: Rate) -> Result<Decision, LimitsDown> {
        self.step(key, rate, Step::Peek).await
    }

    /// Returns one request: a refused request does not use the rate. When that empties the window, the window is
    /// closed as if it had never been opened. Best effort while Redis is down.
    pub async fn refund(&self, key: &str, rate: Rate) {
        if self.step(key, rate, Step::Refund).await.is_err() {
            self.0.local.step(key, self.share_of(rate), Step::Refund);
        }
    }

    /// Counts this process among the API processes until shutdown begins. A no-op for in-process limits.
    pub fn announce(&self, shutdown: &Shutdown) {
        if let Some((_, process_count)) = &self.0.shared {
            process_count.announce(shutdown);
        }
    }

    async fn step(&self, key: &str, rate: Rate, step: Step) -> Result<Decision, LimitsDown> {
        match &self.0.shared {
            Some((windows, _)) => windows.step(key, rate, step).await,
            None => Ok(self.0.local.step(key, rate, step)),
        }
    }

    fn share_of(&self, rate: Rate) -> Rate {
        let processes = self.0.shared.as_ref().map_or(1, |(_, process_count)| process_count.known());
        Rate { limit: (rate.limit / processes).max(1.min(rate.limit)), ..rate }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn decision(reset_after: Duration) -> Decision {
        Decision { allowed: false, limit: 1, remaining: 0, reset_after }
    }

    #[test]
    fn retry_after_is_rounded_up_and_at_least_one() {
        for (millis, seconds) in
            [(0, 1), (1, 1), (999, 1), (1_000, 1), (1_001, 2), (59_999, 60), (60_000, 60)]
        {
            assert_eq!(decision(Duration::from_millis(millis)).reset_after_secs(), seconds, "{millis} ms");
        }
    }

    #[tokio::test]
    async fn without_redis_hot_paths_fall_back_and_others_fail() {
        let redis = Redis::lazy("redis://127.0.0.1:1/0", "test").unwrap();
        let limits = Limits::redis(redis, Clock::system());
        let rate = Rate::per(3, Duration::from_mins(1));
        assert_eq!(limits.take("k", rate).await, Err(LimitsDown));
        let allowed = [(); 5].map(|()| async { limits.take_or_fallback("k", rate).await.allowed });
        let mut answers = Vec::new();
        for request in allowed {
            answers.push(request.await);
        }
        assert_eq!(answers, [true, true, true, false, false]);
    }

    #[test]
    fn the_share_of_a_process_is_zero_only_if_the_quota_is() {
        let redis = Redis::lazy("redis://127.0.0.1:1/0", "test").unwrap();
        let limits = Limits::redis(redis, Clock::system());
        limits.0.shared.as_ref().unwrap().1.learn(4);
        for (limit, share) in [(60, 15), (7, 1), (3, 1), (1, 1), (0, 0)] {
            assert_eq!(limits.share_of(Rate::per(limit, Duration::from_secs(1))).limit, share);
        }
    }
}
