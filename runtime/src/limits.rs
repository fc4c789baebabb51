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

pub use rate::{Counter, Decision, LimitsDown, Rate, network_of};
use shared::SharedWindows;
use windows::Windows;

use self::Windowed::{InProcess, Shared};

#[derive(Clone)]
pub struct Limits(Windowed);

#[derive(Clone)]
enum Windowed {
    /// One process counts alone.
    InProcess(Arc<Windows>),
    Shared(SharedWindows),
}

impl Limits {
    pub fn in_process(clock: Clock) -> Self {
        Self(InProcess(Arc::new(Windows::new(clock))))
    }

    /// Windows in Redis; `clock` times the grants of this process.
    pub fn redis(redis: Redis, clock: Clock) -> Self {
        Self(Shared(SharedWindows::new(redis, clock)))
    }

    /// Uses one request of the rate if one is left, with a call to Redis for each.
    pub async fn take(&self, counter: Counter, rate: Rate) -> Result<Decision, LimitsDown> {
        match &self.0 {
            Shared(shared) => shared.take_one(counter, rate).await,
            InProcess(own) => Ok(own.take_or_open(counter, rate)),
        }
    }

    /// Like [`take`](Self::take), but Redis is asked for blocks of requests, and it never fails: while Redis is down this
    /// process allows its share of the rate, rate / known API processes, at least 1. Permits granted earlier
    /// in the window are part of its share.
    pub async fn take_or_fallback(&self, counter: Counter, rate: Rate) -> Decision {
        match &self.0 {
            Shared(shared) => match shared.take(counter, rate).await {
                Ok(decision) => decision,
                Err(LimitsDown) => shared.take_alone(counter, rate),
            },
            InProcess(own) => own.take_or_open(counter, rate),
        }
    }

    /// The result that [`take`](Self::take) would return, without using a request.
    pub async fn peek(&self, counter: Counter, rate: Rate) -> Result<Decision, LimitsDown> {
        match &self.0 {
            Shared(shared) => shared.peek(counter, rate).await,
            InProcess(own) => Ok(own.peek(counter, rate).unwrap_or_else(|| Decision::unused(rate))),
        }
    }

    /// Counts this process among the API processes until shutdown begins. A no-op for in-process limits.
    pub fn join(&self, shutdown: &Shutdown) {
        if let Shared(shared) = &self.0 {
            shared.join(shutdown);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn without_redis_a_share_is_admitted_only_where_asked() {
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

    #[tokio::test]
    async fn a_peek_uses_nothing() {
        let limits = Limits::in_process(Clock::system());
        let (counter, rate) = (Counter::Key(1, "ban_status"), Rate::per(1, Duration::from_mins(1)));
        assert!(limits.peek(counter, rate).await.unwrap().allowed);
        assert!(limits.take(counter, rate).await.unwrap().allowed);
        assert!(!limits.peek(counter, rate).await.unwrap().allowed);
    }
}
