//! Failed keys by address: 30 a minute, then 429 instead of 401 (docs/rules.md 3). Valid keys are never refused for it.
//!
//! Failures are counted for all processes together. Each process caches the addresses over the limit, so their further
//! failures cause no call to Redis. At most four unknown keys of such addresses are looked up concurrently.

use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use runtime::{Counter, Limits, Rate};
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::request::client_address::network_of;
use crate::response::error::ApiError;

const FAILURES: Rate = Rate::per(30, Duration::from_secs(60));
/// Maximum number of cached addresses. When it is reached, expired ones are dropped, and further ones are not cached.
const CAPACITY: usize = 10_000;

/// Concurrent look-ups of unknown keys for addresses over the limit.
const LOOKUPS: usize = 4;

pub(crate) struct FailedKeys {
    limits: Limits,
    over: Mutex<std::collections::HashMap<IpAddr, Instant>>,
    lookups: Semaphore,
}

impl FailedKeys {
    pub(crate) fn new(limits: Limits) -> Self {
        Self { limits, over: Mutex::default(), lookups: Semaphore::new(LOOKUPS) }
    }

    /// Waits for one of few permits if the address has failed too often.
    pub(crate) async fn lookup_permit(&self, address: IpAddr) -> Option<SemaphorePermit<'_>> {
        if self.check(address).is_ok() {
            return None;
        }
        // Never closed.
        self.lookups.acquire().await.ok()
    }

    /// Refuses an address that failed too often.
    fn check(&self, address: IpAddr) -> Result<(), ApiError> {
        let address = network_of(address);
        let mut over = self.over.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(left) = over.get(&address).map(|until| until.saturating_duration_since(Instant::now()))
        else {
            return Ok(());
        };
        if left.is_zero() {
            over.remove(&address);
            return Ok(());
        }
        Err(ApiError::too_many_failures(crate::response::error::whole_seconds(left)))
    }

    /// Counts a failure; returns the error for the client.
    pub(crate) async fn count(&self, address: IpAddr, failure: ApiError) -> ApiError {
        if let Err(over) = self.check(address) {
            return over;
        }
        let address = network_of(address);
        let decision = self.limits.take_or_fallback(Counter::Failures(address), FAILURES).await;
        if decision.allowed {
            return failure;
        }
        self.remember(address, Instant::now() + decision.reset_after);
        ApiError::too_many_failures(decision.reset_after_secs())
    }

    fn remember(&self, address: IpAddr, until: Instant) {
        let mut over = self.over.lock().unwrap_or_else(PoisonError::into_inner);
        if over.len() >= CAPACITY {
            let now = Instant::now();
            over.retain(|_, until| *until > now);
        }
        if over.len() < CAPACITY {
            over.insert(address, until);
        }
    }
}

#[cfg(test)]
mod tests {
    use runtime::Clock;

    use super::*;
    use crate::response::error::Kind;

    #[tokio::test]
    async fn the_31st_failure_of_an_address_is_429_and_others_are_not_touched() {
        let failed = FailedKeys::new(Limits::in_process(Clock::system()));
        let (one, other) = ("10.0.0.1".parse().unwrap(), "10.0.0.2".parse().unwrap());
        for _ in 0..FAILURES.limit {
            assert!(failed.check(one).is_ok());
            assert_eq!(failed.count(one, ApiError::key("w", "m")).await.kind(), Kind::Unauthorized);
        }
        let over = failed.count(one, ApiError::key("w", "m")).await;
        assert_eq!(over.kind(), Kind::TooMany);
        assert!((1..=60).contains(&over.parts().retry_after.unwrap()));
        assert!(failed.check(one).is_err());
        assert!(failed.check(other).is_ok());
    }
}
