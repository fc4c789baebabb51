//! Failed keys by address: 30 a minute, then 429 instead of 401 (docs/rules.md 3). Valid keys are never refused for it.
//!
//! Failures are counted for all processes together. Each process caches the addresses over the limit, so their further
//! failures cause no call to Redis. At most four unknown keys of such addresses are looked up concurrently.

use std::collections::{BTreeSet, HashMap};
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use runtime::{Counter, Limits, Rate, network_of};
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::response::error::{ApiError, whole_seconds};

const FAILURES: Rate = Rate::per(30, Duration::from_secs(60));
/// Addresses with failures that are remembered. When it is reached, those below the limit are forgotten.
const CAPACITY: usize = 10_000;
/// Keys of an address that the log names.
const NAMED: usize = 8;
/// Concurrent look-ups of unknown keys for addresses over the limit.
const LOOKUPS: usize = 4;

pub(crate) struct FailedKeys {
    limits: Limits,
    suspects: Mutex<HashMap<IpAddr, Suspect>>,
    lookups: Semaphore,
}

/// An address with failures.
#[derive(Default)]
struct Suspect {
    /// The address is over the limit until then.
    over_until: Option<Instant>,
    /// Since the last line of the log.
    failures: u64,
    /// Public ids of keys among them.
    keys: BTreeSet<String>,
}

impl Suspect {
    fn over_for(&self) -> Option<Duration> {
        self.over_until?.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())
    }
}

impl FailedKeys {
    pub(crate) fn new(limits: Limits) -> Self {
        Self { limits, suspects: Mutex::default(), lookups: Semaphore::new(LOOKUPS) }
    }

    /// Waits for one of few permits if the address has failed too often.
    pub(crate) async fn lookup_permit(&self, address: IpAddr) -> Option<SemaphorePermit<'_>> {
        self.lock().get(&network_of(address)).and_then(Suspect::over_for)?;
        // Never closed.
        self.lookups.acquire().await.ok()
    }

    /// Counts a failure of a key with this public id, if it has one; returns the error for the client.
    pub(crate) async fn count(&self, address: IpAddr, key: Option<&str>, failure: ApiError) -> ApiError {
        let address = network_of(address);
        if let Some(left) = self.note(address, key) {
            return ApiError::too_many_failures(whole_seconds(left));
        }
        let decision = self.limits.take_or_fallback(Counter::Failures(address), FAILURES).await;
        if decision.allowed {
            return failure;
        }
        self.refuse_until(address, Instant::now() + decision.reset_after);
        ApiError::too_many_failures(decision.reset_after_secs())
    }

    /// The error for an address that is over the limit, where even a valid credential would cost a call to a platform.
    pub(crate) fn refusal(&self, address: IpAddr) -> Option<ApiError> {
        let left = self.lock().get(&network_of(address))?.over_for()?;
        Some(ApiError::too_many_failures(whole_seconds(left)))
    }

    /// How long the address is over the limit, if it is.
    fn note(&self, address: IpAddr, key: Option<&str>) -> Option<Duration> {
        let mut suspects = self.lock();
        if suspects.len() >= CAPACITY && !suspects.contains_key(&address) {
            suspects.retain(|_, suspect| suspect.over_for().is_some());
            if suspects.len() >= CAPACITY {
                return None;
            }
        }
        let suspect = suspects.entry(address).or_default();
        suspect.failures += 1;
        if suspect.keys.len() < NAMED {
            suspect.keys.extend(key.map(str::to_owned));
        }
        suspect.over_for()
    }

    /// One line of the log for each minute of an address.
    fn refuse_until(&self, address: IpAddr, until: Instant) {
        let mut suspects = self.lock();
        let Some(suspect) = suspects.get_mut(&address).filter(|suspect| suspect.over_for().is_none()) else {
            return;
        };
        suspect.over_until = Some(until);
        let (failures, keys) = (std::mem::take(&mut suspect.failures), std::mem::take(&mut suspect.keys));
        let keys = keys.into_iter().collect::<Vec<_>>().join(",");
        tracing::warn!(client.address = %address, failures, keys, "too many wrong keys from an address: 429 for a minute");
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, Suspect>> {
        self.suspects.lock().unwrap_or_else(PoisonError::into_inner)
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
        let [one, other]: [IpAddr; 2] = ["10.0.0.1".parse().unwrap(), "10.0.0.2".parse().unwrap()];
        let count =
            async |address, key: &str| failed.count(address, Some(key), ApiError::key("w", "m")).await;
        for n in 0..FAILURES.limit {
            assert!(failed.lookup_permit(one).await.is_none());
            assert_eq!(count(one, &n.to_string()).await.kind(), Kind::Unauthorized);
        }
        assert_eq!(failed.lock()[&one].keys.len(), NAMED);
        let over = count(one, "more").await;
        assert_eq!(over.kind(), Kind::TooMany);
        assert!((1..=60).contains(&over.parts().retry_after.unwrap()));
        assert!(failed.lookup_permit(one).await.is_some());
        assert_eq!(count(other, "other").await.kind(), Kind::Unauthorized);
        // Later failures are logged in the next minute.
        assert_eq!(count(one, "later").await.kind(), Kind::TooMany);
        let suspects = failed.lock();
        assert_eq!((suspects[&one].failures, suspects[&one].keys.len()), (1, 1));
    }

    #[tokio::test]
    async fn many_addresses_that_failed_once_keep_no_other_one_from_being_counted() {
        let failed = FailedKeys::new(Limits::in_process(Clock::system()));
        let numbers = 0..u32::try_from(CAPACITY).unwrap();
        let addresses = numbers.map(|n| (IpAddr::from(n.to_be_bytes()), Suspect::default()));
        failed.lock().extend(addresses);
        let one: IpAddr = "192.0.2.1".parse().unwrap();
        for _ in 0..=FAILURES.limit {
            failed.count(one, None, ApiError::key("w", "m")).await;
        }
        assert!(failed.refusal(one).is_some());
        assert_eq!(failed.lock().len(), 1, "those that are under the limit were dropped");
    }

    #[tokio::test]
    async fn addresses_of_one_network_fail_together() {
        let failed = FailedKeys::new(Limits::in_process(Clock::system()));
        let count = async |address: IpAddr| failed.count(address, None, ApiError::key("w", "m")).await.kind();
        for n in 1..=FAILURES.limit {
            assert_eq!(count(format!("2001:db8:1:2::{n:x}").parse().unwrap()).await, Kind::Unauthorized);
        }
        assert_eq!(count("2001:db8:1:2:ffff::1".parse().unwrap()).await, Kind::TooMany);
        assert_eq!(count("2001:db8:1:3::1".parse().unwrap()).await, Kind::Unauthorized);
    }

    #[tokio::test]
    async fn memory_for_addresses_is_bounded() {
        let failed = FailedKeys::new(Limits::in_process(Clock::system()));
        for n in 0..2 * u32::try_from(CAPACITY).unwrap() {
            failed.note(IpAddr::from(n.to_be_bytes()), None);
        }
        assert!(failed.lock().len() <= CAPACITY);
    }
}
