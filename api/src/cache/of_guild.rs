//! A cache of what belongs to a guild: an entry stays until an event concerns its guild.
//!
//! While the change log cannot be read, an entry lives one second.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use entities::GuildId;
use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, Weighter};
use runtime::Freshness;
use sea_orm::DbErr;

use crate::cache::cache_metrics::{CacheMetrics, Kept};
use crate::cache::event_fed::STALE_LIFE;

/// An unused weighed entry is dropped after so long.
const IDLE: Duration = Duration::from_mins(5);
/// A store for so few entries is in one piece, so that a single entry may take nearly all of its capacity.
const UNDIVIDED: usize = 32;

pub(crate) struct OfGuild<K, V> {
    entries: Cache<(GuildId, K), Entry<V>, Weight<V>>,
    /// An entry that is unused for so long is dropped.
    idle: Option<Duration>,
    made_at: Instant,
    generations: RwLock<Generations>,
    freshness: Freshness,
    metrics: CacheMetrics,
}

/// Counts changes: an entry is fresh only if its guild has not changed since it was read.
#[derive(Default)]
struct Generations {
    of_all: u64,
    of_guilds: HashMap<GuildId, u64>,
}

#[derive(Clone)]
struct Entry<V> {
    value: V,
    generation: (u64, u64),
    read_at: Instant,
    /// Milliseconds of the cache's life.
    used: Arc<AtomicU64>,
}

struct Weight<V>(fn(&V) -> u64);

impl<V> Clone for Weight<V> {
    fn clone(&self) -> Self {
        Self(self.0)
    }
}

impl<K, V> Weighter<(GuildId, K), Entry<V>> for Weight<V> {
    fn weight(&self, _: &(GuildId, K), entry: &Entry<V>) -> u64 {
        (self.0)(&entry.value)
    }
}

impl<K, V> OfGuild<K, V>
where
    K: Hash + Eq + Copy + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    /// At most `capacity` entries. `name` is that of its metrics.
    pub(crate) fn new(name: &'static str, freshness: &Freshness, capacity: usize) -> Self {
        let (hasher, life) = (DefaultHashBuilder::default(), DefaultLifecycle::default());
        let entries = Cache::with(capacity, capacity as u64, Weight(|_| 1), hasher, life);
        Self::of(freshness, entries, None, CacheMetrics::new(name))
    }

    /// Entries whose weights together are at most `capacity`; one unused for five minutes is dropped.
    pub(crate) fn weighed(
        name: &'static str,
        freshness: &Freshness,
        capacity: u64,
        weight: fn(&V) -> u64,
    ) -> Self {
        let (hasher, life) = (DefaultHashBuilder::default(), DefaultLifecycle::default());
        let entries = Cache::with(UNDIVIDED, capacity, Weight(weight), hasher, life);
        Self::of(freshness, entries, Some(IDLE), CacheMetrics::weighed(name))
    }

    fn of(
        freshness: &Freshness,
        entries: Cache<(GuildId, K), Entry<V>, Weight<V>>,
        idle: Option<Duration>,
        metrics: CacheMetrics,
    ) -> Self {
        let (generations, freshness) = (RwLock::default(), freshness.clone());
        Self { entries, idle, made_at: Instant::now(), generations, freshness, metrics }
    }

    /// Entries or their weight, and how much there may be.
    pub(crate) fn held(&self) -> (u64, Option<u64>) {
        (self.entries.weight(), Some(self.entries.capacity()))
    }

    pub(crate) fn entries(&self) -> u64 {
        self.entries.len() as u64
    }

    /// The cached value, unless it may be stale.
    pub(crate) fn get(&self, guild: GuildId, key: K) -> Option<V> {
        let holds = |entry: &Entry<V>| {
            entry.generation == self.generation_of(guild)
                && (self.freshness.is_fresh() || entry.read_at.elapsed() < STALE_LIFE)
        };
        let found = self.entries.get(&(guild, key)).filter(holds);
        self.metrics.looked_up(found.is_some());
        found.map(|entry| {
            if self.idle.is_some() {
                entry.used.store(self.age(), Ordering::Relaxed);
            }
            entry.value
        })
    }

    /// The cached value, or the result of `read`.
    pub(crate) async fn get_or_load<E, F>(
        &self,
        guild: GuildId,
        key: K,
        read: impl FnOnce() -> F,
    ) -> Result<V, E>
    where
        F: Future<Output = Result<V, E>>,
    {
        match self.get(guild, key) {
            Some(value) => Ok(value),
            // Boxed, because most calls need no space for it.
            None => Box::pin(self.load(guild, key, read())).await,
        }
    }

    /// The cached value, or the result of `read`; while the database is away the cached value, however old. Whether it is
    /// stale comes with it.
    pub(crate) async fn get_or_load_or_stale<F>(
        &self,
        guild: GuildId,
        key: K,
        read: impl FnOnce() -> F,
    ) -> Result<(V, bool), DbErr>
    where
        F: Future<Output = Result<V, DbErr>>,
    {
        match self.get(guild, key) {
            Some(value) => Ok((value, false)),
            // Boxed, because most calls need no space for it.
            None => Box::pin(self.load_or_stale(guild, key, read())).await,
        }
    }

    async fn load_or_stale(
        &self,
        guild: GuildId,
        key: K,
        read: impl Future<Output = Result<V, DbErr>>,
    ) -> Result<(V, bool), DbErr> {
        let load = async { self.load(guild, key, read).await.map(|value| (value, false)) };
        let Some(known) = self.entries.get(&(guild, key)) else { return load.await };
        self.freshness.unless_lost(load).await.unwrap_or(Ok((known.value, true)))
    }

    /// Reads the value and caches it. If the guild changes meanwhile, the entry is stale from the start.
    pub(crate) async fn load<E>(
        &self,
        guild: GuildId,
        key: K,
        read: impl Future<Output = Result<V, E>>,
    ) -> Result<V, E> {
        let (generation, read_at) = (self.generation_of(guild), Instant::now());
        let value = read.await?;
        let used = Arc::new(AtomicU64::new(self.age()));
        self.entries.insert((guild, key), Entry { value: value.clone(), generation, read_at, used });
        Ok(value)
    }

    fn age(&self) -> u64 {
        u64::try_from(self.made_at.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn drop_unused(&self, idle: Duration) {
        let Some(since) = self.made_at.elapsed().checked_sub(idle) else { return };
        self.entries.retain(|_, entry| u128::from(entry.used.load(Ordering::Relaxed)) >= since.as_millis());
    }

    fn generation_of(&self, guild: GuildId) -> (u64, u64) {
        let generations = self.generations.read().unwrap_or_else(PoisonError::into_inner);
        (generations.of_all, generations.of_guilds.get(&guild).copied().unwrap_or_default())
    }

    pub(crate) fn forget(&self, guild: GuildId) {
        let mut generations = self.generations.write().unwrap_or_else(PoisonError::into_inner);
        *generations.of_guilds.entry(guild).or_default() += 1;
    }

    /// Frees the entry at once.
    pub(crate) fn remove(&self, guild: GuildId, key: K) {
        self.entries.remove(&(guild, key));
    }

    /// Frees these entries at once.
    pub(crate) fn remove_if(&self, condition: impl Fn(&V) -> bool) {
        self.entries.retain(|_, entry| !condition(&entry.value));
    }
}

impl<K, V> Kept for OfGuild<K, V>
where
    K: Hash + Eq + Copy + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    fn report(&self) {
        if let Some(idle) = self.idle {
            self.drop_unused(idle);
        }
        self.metrics.hold(self.entries());
        self.metrics.weigh(self.held().0);
    }

    fn forget_all(&self) {
        self.generations.write().unwrap_or_else(PoisonError::into_inner).of_all += 1;
        self.entries.clear();
    }
}

#[cfg(test)]
mod tests {
    use runtime::{Breaker, Events};

    use super::*;

    #[tokio::test]
    async fn an_entry_stays_until_its_guild_changes() {
        let cache = OfGuild::new("test", Events::in_process(Breaker::default()).freshness(), 10);
        let [one, other]: [GuildId; 2] = ["1".parse().unwrap(), "2".parse().unwrap()];
        let get =
            async |guild, value| cache.get_or_load(guild, 7, || async { Ok::<_, ()>(value) }).await.unwrap();
        assert_eq!((get(one, 1).await, get(other, 1).await), (1, 1));
        cache.forget(one);
        assert_eq!((get(one, 2).await, get(other, 2).await), (2, 1));
        cache.forget_all();
        assert_eq!((get(one, 3).await, get(other, 3).await), (3, 3));
    }

    #[tokio::test]
    async fn a_weighed_entry_that_nobody_uses_is_dropped() {
        let freshness = Events::in_process(Breaker::default()).freshness().clone();
        let mut cache = OfGuild::weighed("test", &freshness, 100, |_| 90);
        let guild = "1".parse().unwrap();
        cache.load(guild, 7, async { Ok::<_, ()>(1) }).await.unwrap();
        assert_eq!(
            (cache.get(guild, 7), cache.held()),
            (Some(1), (90, Some(100))),
            "one may take nearly all"
        );
        let later = |cache: &mut OfGuild<_, _>| cache.made_at -= IDLE * 9 / 10;
        later(&mut cache);
        cache.report();
        assert_eq!(cache.get(guild, 7), Some(1), "it is used now");
        later(&mut cache);
        cache.report();
        assert_eq!(cache.entries(), 1);
        later(&mut cache);
        cache.report();
        assert_eq!(cache.held(), (0, Some(100)));
    }

    #[tokio::test]
    async fn what_was_read_before_a_change_is_not_kept_after_it() {
        let cache = OfGuild::new("test", Events::in_process(Breaker::default()).freshness(), 10);
        let guild = "1".parse().unwrap();
        let read = || async {
            cache.forget(guild);
            Ok::<_, ()>(1)
        };
        assert_eq!(cache.get_or_load(guild, 7, read).await.unwrap(), 1);
        assert_eq!(cache.get_or_load(guild, 7, || async { Ok::<_, ()>(2) }).await.unwrap(), 2);
    }
}
