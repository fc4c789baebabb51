//! Rates: a fixed window per counter, opened by the first request in it, never more than N requests in one window
//! (docs/rules.md 3). One process counts in memory; several count together in Redis, on Redis time.

use std::sync::Arc;

use crate::clock::Clock;
use crate::redis::Redis;
use crate::shutdown::Shutdown;

mod process_count;
mod rate;
mod shared;
mod windows;

pub use rate::{Counter, Decision, LimitsDown, Rate};
use shared::SharedWindows;
use windows::Windows;

#[derive(Clone)]
pub struct Limits(Arc<Inner>);

struct Inner {
    /// The counts of a single process; with Redis, the fallback while it is down.
    own: Windows,
    shared: Option<SharedWindows>,
}

impl Limits {
    pub fn in_process(clock: Clock) -> Self {
        Self(Arc::new(Inner { own: Windows::new(clock), shared: None }))
    }

    /// Windows in Redis; `clock` times what this process is granted, and the windows of the fallback.
    pub fn redis(redis: Redis, clock: Clock) -> Self {
        let shared = SharedWindows::new(redis, clock.clone());
        Self(Arc::new(Inner { own: Windows::new(clock), shared: Some(shared) }))
    }

    /// Uses one request of the rate if one is left. Redis is asked for each.
    pub async fn take(&self, counter: Counter, rate: Rate) -> Result<Decision, LimitsDown> {
        match &self.0.shared {
            Some(shared) => shared.take_one(counter, rate).await,
            None => Ok(self.0.own.take_or_open(counter, rate)),
        }
    }

    /// Like [`take`](Self::take), but Redis is asked for blocks of requests, and it never fails: while Redis is down this
    /// process allows its share of the rate, rate / known API processes, at least 1.
    pub async fn take_or_fallback(&self, counter: Counter, rate: Rate) -> Decision {
        let Some(shared) = &self.0.shared else { return self.0.own.take_or_open(counter, rate) };
        match shared.take(counter, rate).await {
            Ok(decision) => decision,
            Err(LimitsDown) => self.0.own.take_or_open(counter, share(rate, shared.processes())),
        }
    }

    /// The result that [`take`](Self::take) would return, without using a request.
    pub async fn peek(&self, counter: Counter, rate: Rate) -> Result<Decision, LimitsDown> {
        match &self.0.shared {
            Some(shared) => shared.peek(counter, rate).await,
            None => Ok(self.0.own.peek(counter, rate).unwrap_or_else(|| Decision::unused(rate))),
        }
    }

    /// Counts this process among the API processes until shutdown begins. A no-op for in-process limits.
    pub fn join(&self, shutdown: &Shutdown) {
        if let Some(shared) = &self.0.shared {
            shared.join(shutdown);
        }
    }
}

fn share(rate: Rate, processes: u32) -> Rate {
    Rate { limit: (rate.limit / processes).max(1.min(rate.limit)), ..rate }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn without_redis_hot_paths_fall_back_and_others_fail() {
        let redis = Redis::lazy("redis://127.0.0.1:1/0", "test").unwrap();
        let limits = Limits::redis(redis, Clock::system());
        let (counter, rate) = (Counter::Key(1, "ban_status"), Rate::per(3, Duration::from_mins(1)));
        assert_eq!(limits.take(counter, rate).await, Err(LimitsDown));
        let mut answers = Vec::new();
        for _ in 0..5 {
            answers.push(limits.take_or_fallback(counter, rate).await.allowed);
        }
        assert_eq!(answers, [true, true, true, false, false]);
    }

    #[test]
    fn the_share_of_a_process_is_zero_only_if_the_quota_is() {
        for (limit, expected) in [(60, 15), (7, 1), (3, 1), (1, 1), (0, 0)] {
            assert_eq!(share(Rate::per(limit, Duration::from_secs(1)), 4).limit, expected);
        }
    }

    #[tokio::test]
    async fn a_peek_uses_nothing() {
        let limits = Limits::in_process(Clock::system());
        let (counter, rate) = (Counter::Key(1, "ban_status"), Rate::per(1, Duration::from_mins(1)));
        assert!(limits.peek(counter, rate).await.unwrap().allowed);
        assert!(limits.take(counter, rate).await.unwrap().allowed);
        assert!(!limits.peek(counter, rate).await.unwrap().allowed);
    }
}
