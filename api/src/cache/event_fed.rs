//! A cache of rows, fed by events: an entry stays until an event invalidates it.
//!
//! While events cannot be trusted (subscription down; or embedded, where the command line writes the same file) an
//! entry lives one second.

use std::hash::Hash;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use moka::future::Cache;
use runtime::Events;
use sea_orm::DbErr;

/// Lifetime with trusted events: bounds the effect of a bug or a lost event.
const TRUSTED_LIFE: Duration = Duration::from_secs(60);
/// Lifetime while events cannot be trusted.
const UNTRUSTED_LIFE: Duration = Duration::from_secs(1);

pub(crate) struct EventFed<K, V> {
    entries: Cache<K, Entry<V>>,
    /// Counts changes, so that a value read before a change is not cached after it.
    generation: AtomicU64,
    events: Events,
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
    pub(crate) fn new(events: &Events, capacity: u64) -> Self {
        Self::living(events, capacity, TRUSTED_LIFE)
    }

    /// With another lifetime under trusted events.
    pub(crate) fn living(events: &Events, capacity: u64, life: Duration) -> Self {
        let entries = Cache::builder().max_capacity(capacity).time_to_live(life).build();
        Self { entries, generation: AtomicU64::new(0), events: events.clone() }
    }

    /// The cached value, if it is fresh.
    pub(crate) async fn get(&self, key: &K) -> Option<V> {
        self.get_if(key, |_| true).await
    }

    /// The same, for values whose changes may cause no event: those live one second.
    pub(crate) async fn get_if(&self, key: &K, announced: impl FnOnce(&V) -> bool) -> Option<V> {
        let entry = self.entries.get(key).await?;
        let trusted = self.events.trusted() && announced(&entry.value);
        (trusted || entry.read_at.elapsed() < UNTRUSTED_LIFE).then_some(entry.value)
    }

    pub(crate) async fn get_or_load(
        &self,
        key: &K,
        read: impl Future<Output = Result<V, DbErr>>,
    ) -> Result<V, DbErr> {
        match self.get(key).await {
            Some(value) => Ok(value),
            None => self.load(key, read).await,
        }
    }

    /// Reads the value and caches it, unless something changed meanwhile.
    pub(crate) async fn load(
        &self,
        key: &K,
        read: impl Future<Output = Result<V, DbErr>>,
    ) -> Result<V, DbErr> {
        let generation = self.generation.load(Ordering::SeqCst);
        let read_at = Instant::now();
        let value = read.await?;
        if self.generation.load(Ordering::SeqCst) == generation {
            self.entries.insert(key.clone(), Entry { value: value.clone(), read_at }).await;
            // A change between the check and the insert has dropped nothing: check again.
            if self.generation.load(Ordering::SeqCst) != generation {
                self.entries.invalidate(key).await;
            }
        }
        Ok(value)
    }

    pub(crate) async fn forget(&self, key: &K) {
        self.generation.fetch_add(1, Ordering::SeqCst);
        self.entries.invalidate(key).await;
    }

    pub(crate) fn forget_all(&self) {
        self.generation.fetch_add(1, Ordering::SeqCst);
        self.entries.invalidate_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new_cache() -> EventFed<u8, u8> {
        EventFed::new(&Events::in_process(), 10)
    }

    fn value(value: u8) -> std::future::Ready<Result<u8, DbErr>> {
        std::future::ready(Ok(value))
    }

    #[tokio::test]
    async fn without_trusted_events_an_entry_lives_for_a_second() {
        let cache = new_cache();
        assert_eq!(cache.load(&1, value(7)).await.unwrap(), 7);
        assert_eq!(cache.get(&1).await, Some(7));
        let old = Instant::now().checked_sub(UNTRUSTED_LIFE).unwrap();
        cache.entries.insert(1, Entry { value: 7, read_at: old }).await;
        assert_eq!(cache.get(&1).await, None);
    }

    #[tokio::test]
    async fn an_entry_that_no_event_announces_lives_for_a_second() {
        let cache = new_cache();
        cache.load(&1, value(7)).await.unwrap();
        assert_eq!(cache.get_if(&1, |_| false).await, Some(7));
    }

    #[tokio::test]
    async fn what_was_read_before_a_change_is_not_kept_after_it() {
        let cache = new_cache();
        let read = async {
            cache.forget(&1).await;
            Ok(7)
        };
        assert_eq!(cache.load(&1, read).await.unwrap(), 7);
        assert_eq!(cache.get(&1).await, None);
        cache.load(&1, value(8)).await.unwrap();
        cache.load(&2, value(9)).await.unwrap();
        cache.forget(&1).await;
        assert_eq!((cache.get(&1).await, cache.get(&2).await), (None, Some(9)));
        cache.forget_all();
        assert_eq!(cache.get(&2).await, None);
    }
}
