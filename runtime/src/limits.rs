//! Rates: a fixed window per counter, opened by the first request in it, never more than N requests in one window
//! (docs/rules.md 3). One process counts in memory; several count together in Redis, on Redis time.

use std::sync::Arc;
use std::time::Duration;

use crate::clock::Clock;
use crate::redis::Redis;
use crate::shutdown::Shutdown;

mod process_count;
mod rate;
mod shared;
mod sharers;
mod windows;

pub use rate::{Counter, Decision, LimitsDown, Rate, network_of};
use shared::SharedWindows;
pub use sharers::Sharer;
use sharers::Sharers;
use windows::Windows;

use self::Windowed::{InProcess, Shared};

#[derive(Clone)]
pub struct Limits {
    windows: Windowed,
    sharers: Sharers,
}

#[derive(Clone)]
enum Windowed {
    /// One process counts alone.
    InProcess(Arc<Windows>),
    Shared(SharedWindows),
}

impl Limits {
    pub fn in_process(clock: Clock) -> Self {
        let sharers = Sharers::new(clock.clone());
        Self { windows: InProcess(Arc::new(Windows::new(clock))), sharers }
    }

    /// Windows in Redis; `clock` times the grants of this process.
    pub fn redis(redis: Redis, clock: Clock) -> Self {
        let sharers = Sharers::new(clock.clone());
        Self { windows: Shared(SharedWindows::new(redis, clock)), sharers }
    }

    /// Uses one request of the rate if one is left, with a call to Redis for each.
    pub async fn take(&self, counter: Counter, rate: Rate) -> Result<Decision, LimitsDown> {
        match &self.windows {
            Shared(shared) => shared.take_one(counter, rate).await,
            InProcess(own) => Ok(own.take_or_open(counter, rate)),
        }
    }

    /// Like [`take`](Self::take), but Redis is asked for blocks of requests, where this process has joined, and it never fails: while Redis is down this
    /// process allows its share of the rate, rate / known API processes, at least 1. Permits granted earlier
    /// in the window are part of its share.
    pub async fn take_or_fallback(&self, counter: Counter, rate: Rate) -> Decision {
        match &self.windows {
            Shared(shared) => match shared.take(counter, rate).await {
                Ok(decision) => decision,
                Err(LimitsDown) => shared.take_alone(counter, rate),
            },
            InProcess(own) => own.take_or_open(counter, rate),
        }
    }

    /// The same for one of several callers that share the rate: refused too if the rest is the share of others.
    pub async fn take_share(&self, counter: Counter, rate: Rate, who: Sharer) -> Decision {
        if let Some(window) =
            self.known(counter, rate).filter(|window| !self.sharers.admits(counter, who, rate, *window))
        {
            return Decision { allowed: false, remaining: 0, ..window };
        }
        let decision = self.take_or_fallback(counter, rate).await;
        if decision.allowed {
            self.sharers.used(counter, who, rate, decision);
        }
        decision
    }

    /// The open window as this process knows it.
    pub fn known(&self, counter: Counter, rate: Rate) -> Option<Decision> {
        match &self.windows {
            Shared(shared) => shared.known(counter, rate),
            InProcess(own) => own.peek(counter, rate),
        }
    }

    /// A caller that shares the rate was told to come back after this time, and has gone if it is later by more than
    /// `grace`. Otherwise it shares its window and the next one.
    pub fn expect(&self, counter: Counter, who: Sharer, time: Duration, grace: Duration) {
        self.sharers.expect(counter, who, time, grace);
    }

    /// How many callers of this process were told to come back within this time.
    pub fn expected(&self, counter: Counter, within: Duration) -> u32 {
        u32::try_from(self.sharers.expected(counter, within)).unwrap_or(u32::MAX)
    }

    /// How many callers share the rate, at least 1.
    pub fn sharers(&self, counter: Counter) -> u32 {
        u32::try_from(self.sharers.count(counter)).unwrap_or(u32::MAX)
    }

    /// The result that [`take`](Self::take) would return, without using a request.
    pub async fn peek(&self, counter: Counter, rate: Rate) -> Result<Decision, LimitsDown> {
        match &self.windows {
            Shared(shared) => shared.peek(counter, rate).await,
            InProcess(own) => Ok(own.peek(counter, rate).unwrap_or_else(|| Decision::unused(rate))),
        }
    }

    /// Counts this process among the API processes until shutdown begins. A no-op for in-process limits.
    pub fn join(&self, shutdown: &Shutdown) {
        if let Shared(shared) = &self.windows {
            shared.join(shutdown);
            self.sharers.sync(shared.redis().clone(), shutdown);
        }
    }
}

#[cfg(test)]
mod tests {
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
