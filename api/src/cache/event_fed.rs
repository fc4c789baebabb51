//! A cache of rows: an entry stays until an event invalidates it.
//!
//! While the change log cannot be read, an entry lives one second.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use quick_cache::Equivalent;
use quick_cache::sync::Cache;
use runtime::Freshness;
use sea_orm::DbErr;

use crate::cache::cache_metrics::{CacheMetrics, Kept};

/// Lifetime while the change log cannot be read.
pub(crate) const STALE_LIFE: Duration = Duration::from_secs(1);

pub(crate) struct EventFed<K, V> {
    entries: Cache<K, Entry<V>>,
    /// Counts changes, so that a value read before a change is not cached after it.
    generation: AtomicU64,
    freshness: Freshness,
    metrics: CacheMetrics,
}

#[derive(Clone)]
struct Entry<V> {
    value: V,
    read_at: Instant,
}

impl<K, V> EventFed<K, V>
where
    K: Hash + Eq + Clone + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    /// `name` is that of its metrics.
    pub(crate) fn new(name: &'static str, freshness: &Freshness, capacity: usize) -> Self {
        Self {
            entries: Cache::new(capacity),
            generation: AtomicU64::new(0),
            freshness: freshness.clone(),
            metrics: CacheMetrics::new(name),
        }
    }

    /// Entries, and how many there may be.
    pub(crate) fn held(&self) -> (u64, Option<u64>) {
        (self.entries.len() as u64, Some(self.entries.capacity()))
    }

    /// The cached value, unless it may be stale.
    pub(crate) fn get<Q>(&self, key: &Q) -> Option<V>
    where
        Q: Hash + Equivalent<K> + ?Sized,
    {
        let holds = |entry: &Entry<V>| self.freshness.is_fresh() || entry.read_at.elapsed() < STALE_LIFE;
        let found = self.entries.get(key).filter(holds);
        self.metrics.looked_up(found.is_some());
        found.map(|entry| entry.value)
    }

    /// The cached value, however old.
    pub(crate) fn get_stale(&self, key: &K) -> Option<V> {
        self.entries.get(key).map(|entry| entry.value)
    }

    /// Like [`load`](Self::load), but returns the cached value, however old, while the database is away.
    pub(crate) async fn load_or_stale(
        &self,
        key: &K,
        read: impl Future<Output = Result<V, DbErr>>,
    ) -> Result<V, DbErr> {
        let Some(known) = self.entries.get(key) else { return self.load(key, read).await };
        self.freshness.unless_lost(self.load(key, read)).await.unwrap_or(Ok(known.value))
    }

    /// The cached value, or the result of `read`.
    pub(crate) async fn get_or_load<F>(&self, key: &K, read: impl FnOnce() -> F) -> Result<V, DbErr>
    where
        F: Future<Output = Result<V, DbErr>>,
    {
        match self.get(key) {
            Some(value) => Ok(value),
            // Boxed, because most calls need no space for it.
            None => Box::pin(self.load(key, read())).await,
        }
    }

    /// Reads the value and caches it, unless something changed meanwhile.
    pub(crate) async fn load(
        &self,
        key: &K,
        read: impl Future<Output = Result<V, DbErr>>,
    ) -> Result<V, DbErr> {
        let began = self.begin();
        let value = read.await?;
        self.insert(began, key, &value);
        Ok(value)
    }

    /// Like [`load`](Self::load), for several at once.
    pub(crate) async fn load_many(
        &self,
        read: impl Future<Output = Result<HashMap<K, V>, DbErr>>,
    ) -> Result<HashMap<K, V>, DbErr> {
        let began = self.begin();
        let values = read.await?;
        for (key, value) in &values {
            self.insert(began, key, value);
        }
        Ok(values)
    }

    fn begin(&self) -> (u64, Instant) {
        (self.generation.load(Ordering::SeqCst), Instant::now())
    }

    fn insert(&self, (generation, read_at): (u64, Instant), key: &K, value: &V) {
        if self.generation.load(Ordering::SeqCst) == generation {
            self.entries.insert(key.clone(), Entry { value: value.clone(), read_at });
            // A change between the check and the insert has dropped nothing: check again.
            if self.generation.load(Ordering::SeqCst) != generation {
                self.entries.remove(key);
            }
        }
    }

    pub(crate) fn forget<Q>(&self, key: &Q)
    where
        Q: Hash + Equivalent<K> + ?Sized,
    {
        self.generation.fetch_add(1, Ordering::SeqCst);
        self.entries.remove(key);
    }
}

impl<K, V> Kept for EventFed<K, V>
where
    K: Hash + Eq + Clone + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    fn report(&self) {
        self.metrics.hold(self.held().0);
    }

    fn forget_all(&self) {
        self.generation.fetch_add(1, Ordering::SeqCst);
        self.entries.clear();
    }
}

#[cfg(test)]
mod tests {
    use runtime::{Breaker, Events};

    use super::*;

    fn new_cache() -> EventFed<u8, u8> {
        EventFed::new("test", Events::in_process(Breaker::default()).freshness(), 10)
    }

    fn value(value: u8) -> std::future::Ready<Result<u8, DbErr>> {
        std::future::ready(Ok(value))
    }

    #[tokio::test]
    async fn while_the_change_log_cannot_be_read_an_entry_lives_for_a_second() {
        let cache = new_cache();
        assert_eq!(cache.load(&1, value(7)).await.unwrap(), 7);
        assert_eq!(cache.get(&1), Some(7));
        let old = Instant::now().checked_sub(STALE_LIFE).unwrap();
        cache.entries.insert(1, Entry { value: 7, read_at: old });
        assert_eq!(cache.get(&1), None);
    }

    #[tokio::test]
    async fn what_was_read_before_a_change_is_not_kept_after_it() {
        let cache = new_cache();
        let read = async {
            cache.forget(&1);
            Ok(7)
        };
        assert_eq!(cache.load(&1, read).await.unwrap(), 7);
        assert_eq!(cache.get(&1), None);
        cache.load(&1, value(8)).await.unwrap();
        cache.load(&2, value(9)).await.unwrap();
        cache.forget(&1);
        assert_eq!((cache.get(&1), cache.get(&2)), (None, Some(9)));
        cache.forget_all();
        assert_eq!(cache.get(&2), None);
    }
}
