//! A cache whose entries live for a time. What is not there is read by one caller, for whom the others wait.

use std::hash::Hash;
use std::time::{Duration, Instant};

use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, Weighter};

/// An entry whose time is over takes its place until another one needs it.
pub struct TimedCache<K, V> {
    entries: Cache<K, Timed<V>, Weight<V>>,
    life: Duration,
}

#[derive(Clone)]
struct Timed<V> {
    value: V,
    since: Instant,
}

struct Weight<V>(fn(&V) -> u64);

impl<V> Clone for Weight<V> {
    fn clone(&self) -> Self {
        Self(self.0)
    }
}

impl<K, V> Weighter<K, Timed<V>> for Weight<V> {
    fn weight(&self, _: &K, entry: &Timed<V>) -> u64 {
        (self.0)(&entry.value)
    }
}

impl<K: Hash + Eq + Clone, V: Clone> TimedCache<K, V> {
    pub fn new(capacity: usize, life: Duration) -> Self {
        Self::weighed(capacity, capacity as u64, life, |_| 1)
    }

    /// Entries whose weights together are at most `capacity`; of usual weight these are some `entries`.
    pub fn weighed(entries: usize, capacity: u64, life: Duration, weight: fn(&V) -> u64) -> Self {
        let (hasher, weight) = (DefaultHashBuilder::default(), Weight(weight));
        Self { entries: Cache::with(entries, capacity, weight, hasher, DefaultLifecycle::default()), life }
    }

    pub fn get(&self, key: &K) -> Option<V> {
        self.entries.get(key).filter(|entry| self.is_alive(entry)).map(|entry| entry.value)
    }

    pub fn contains(&self, key: &K) -> bool {
        self.get(key).is_some()
    }

    /// Entries, and how many there may be.
    pub fn held(&self) -> (u64, Option<u64>) {
        (self.entries.len() as u64, Some(self.entries.capacity()))
    }

    pub fn insert(&self, key: K, value: V) {
        self.entries.insert(key, Timed { value, since: Instant::now() });
    }

    pub fn remove(&self, key: &K) {
        self.entries.remove(key);
    }

    /// The cached value, or the result of `load`. An error is not cached: who waited loads in turn.
    pub async fn get_or_load<E>(&self, key: &K, load: impl Future<Output = Result<V, E>>) -> Result<V, E> {
        if let Some(value) = self.get(key) {
            return Ok(value);
        }
        self.entries.remove_if(key, |entry| !self.is_alive(entry));
        // Boxed, because most calls need no space for it.
        let load = Box::pin(async { Ok(Timed { value: load.await?, since: Instant::now() }) });
        Ok(self.entries.get_or_insert_async(key, load).await?.value)
    }

    fn is_alive(&self, entry: &Timed<V>) -> bool {
        entry.since.elapsed() < self.life
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use futures_util::future::join_all;

    use super::*;

    #[tokio::test]
    async fn one_caller_loads_for_all_that_wait() {
        let (cache, loads) = (TimedCache::new(10, Duration::from_mins(1)), AtomicU32::new(0));
        let load = || async {
            tokio::task::yield_now().await;
            Ok::<_, ()>(loads.fetch_add(1, Ordering::Relaxed))
        };
        let all = join_all((0..50).map(|_| cache.get_or_load(&1, load()))).await;
        assert_eq!(all, vec![Ok(0); 50]);
        cache.remove(&1);
        assert_eq!(cache.get_or_load(&1, load()).await, Ok(1));
    }

    #[tokio::test]
    async fn an_error_is_not_cached_and_a_caller_that_gives_up_leaves_the_load_to_the_next() {
        let cache = TimedCache::new(10, Duration::from_mins(1));
        assert_eq!(cache.get_or_load(&1, async { Err("away") }).await, Err("away"));
        let mut given_up = Box::pin(cache.get_or_load(&1, std::future::pending::<Result<_, &str>>()));
        assert!(futures_util::poll!(&mut given_up).is_pending());
        let mut waits = Box::pin(cache.get_or_load(&1, async { Ok::<_, &str>("here") }));
        assert!(futures_util::poll!(&mut waits).is_pending());
        drop(given_up);
        assert_eq!(waits.await, Ok("here"));
        assert_eq!(cache.get(&1), Some("here"));
    }

    #[tokio::test]
    async fn an_entry_whose_time_is_over_is_loaded_anew() {
        let cache = TimedCache::new(10, Duration::ZERO);
        cache.insert(1, "old");
        assert_eq!((cache.get(&1), cache.contains(&1)), (None, false));
        assert_eq!(cache.get_or_load(&1, async { Ok::<_, ()>("new") }).await, Ok("new"));
    }

    #[test]
    fn weights_together_stay_below_the_capacity() {
        let cache = TimedCache::weighed(10, 100, Duration::from_mins(1), |_: &u32| 30);
        (0..20).for_each(|key| cache.insert(key, key));
        let held = (0..20).filter(|key| cache.contains(key)).count();
        assert!((1..=3).contains(&held), "{held} entries of 30 in 100");
    }
}
