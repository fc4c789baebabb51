//! A cache of what belongs to a guild: an entry stays until an event concerns its guild.
//!
//! While the change log cannot be read, an entry lives one second.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{PoisonError, RwLock};
use std::time::{Duration, Instant};

use entities::GuildId;
use moka::sync::Cache;
use runtime::Freshness;
use sea_orm::DbErr;

use crate::cache::cache_metrics::{CacheMetrics, Kept};
use crate::cache::event_fed::STALE_LIFE;

/// An unused weighed entry is dropped after so long.
const IDLE: Duration = Duration::from_mins(5);

pub(crate) struct OfGuild<K, V> {
    entries: Cache<(GuildId, K), Entry<V>>,
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
}

impl<K, V> OfGuild<K, V>
where
    K: Hash + Eq + Copy + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    /// At most `capacity` entries. `name` is that of its metrics.
    pub(crate) fn new(name: &'static str, freshness: &Freshness, capacity: u64) -> Self {
        let entries = Cache::builder().max_capacity(capacity).build();
        Self::of(freshness, entries, CacheMetrics::new(name))
    }

    /// Entries whose weights together are at most `capacity`; one unused for five minutes is dropped.
    pub(crate) fn weighed(
        name: &'static str,
        freshness: &Freshness,
        capacity: u64,
        weight: fn(&V) -> u32,
    ) -> Self {
        let weigh = move |_: &_, entry: &Entry<V>| weight(&entry.value);
        let entries = Cache::builder().max_capacity(capacity).weigher(weigh).time_to_idle(IDLE).build();
        Self::of(freshness, entries, CacheMetrics::weighed(name))
    }

    fn of(freshness: &Freshness, entries: Cache<(GuildId, K), Entry<V>>, metrics: CacheMetrics) -> Self {
        Self { entries, generations: RwLock::default(), freshness: freshness.clone(), metrics }
    }

    /// Entries or their weight, and how much there may be.
    pub(crate) fn held(&self) -> (u64, Option<u64>) {
        (self.entries.weighted_size(), self.entries.policy().max_capacity())
    }

    pub(crate) fn entries(&self) -> u64 {
        self.entries.entry_count()
    }

    /// The cached value, unless it may be stale.
    pub(crate) fn get(&self, guild: GuildId, key: K) -> Option<V> {
        let holds = |entry: &Entry<V>| {
            entry.generation == self.generation_of(guild)
                && (self.freshness.is_fresh() || entry.read_at.elapsed() < STALE_LIFE)
        };
        let found = self.entries.get(&(guild, key)).filter(holds);
        self.metrics.looked_up(found.is_some());
        found.map(|entry| entry.value)
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
        self.entries.insert((guild, key), Entry { value: value.clone(), generation, read_at });
        Ok(value)
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
        if self.entries.remove(&(guild, key)).is_some() {
            self.entries.run_pending_tasks();
        }
    }

    /// Frees these entries at once.
    pub(crate) fn remove_if(&self, condition: impl Fn(&V) -> bool) {
        for (key, entry) in &self.entries {
            if condition(&entry.value) {
                self.entries.invalidate(&*key);
            }
        }
        self.entries.run_pending_tasks();
    }
}

impl<K, V> Kept for OfGuild<K, V>
where
    K: Hash + Eq + Copy + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    fn report(&self) {
        self.metrics.hold(self.entries());
        self.metrics.weigh(self.held().0);
    }

    fn forget_all(&self) {
        self.generations.write().unwrap_or_else(PoisonError::into_inner).of_all += 1;
        self.entries.invalidate_all();
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
