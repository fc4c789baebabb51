//! Whole lists of a guild, rendered: kept until an event concerns them, and built once for all calls that wait.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Instant;

use entities::GuildId;
use runtime::{Clock, Freshness};

use crate::cache::cache_metrics::Kept;
use crate::cache::of_guild::OfGuild;
use crate::response::ready::Ready;

/// Bytes of small lists in one cache.
const CAPACITY: u64 = 32 * 1024 * 1024;

pub(crate) struct Lists<K> {
    kept: OfGuild<K, Arc<Ready>>,
    /// Lists for which calls wait.
    building: Mutex<HashMap<(GuildId, K), Weak<Build>>>,
}

/// The last build and its begin, as long as calls wait for the next.
type Build = tokio::sync::Mutex<Option<(Instant, Arc<Ready>)>>;

impl<K> Lists<K>
where
    K: Hash + Eq + Copy + Send + Sync + 'static,
{
    pub(crate) fn new(name: &'static str, freshness: &Freshness) -> Self {
        let kept = OfGuild::weighed(name, freshness, CAPACITY, |list: &Arc<Ready>| list.weight());
        Self { kept, building: Mutex::default() }
    }

    /// Lists with their bytes, and how many of these there may be.
    pub(crate) fn held(&self) -> ((u64, u64), u64) {
        ((self.kept.entries(), self.kept.held().0), CAPACITY)
    }

    /// The kept list, unless it may be stale.
    pub(crate) fn get(&self, guild: GuildId, key: K, clock: &Clock) -> Option<Arc<Ready>> {
        self.kept.get(guild, key).filter(|list| list.holds(clock.now()))
    }

    /// The kept list, or the result of `build`; calls at the same time share one build.
    ///
    /// A list that changed while it was built is not kept, but it is right for each call that came before its build
    /// began. So a call waits for two builds at most, however often the list changes.
    pub(crate) async fn get_or_build<E, F>(
        &self,
        guild: GuildId,
        key: K,
        clock: &Clock,
        build: impl FnOnce() -> F,
    ) -> Result<Arc<Ready>, E>
    where
        F: Future<Output = Result<Arc<Ready>, E>>,
    {
        match self.get(guild, key, clock) {
            Some(list) => Ok(list),
            // Boxed, because most calls need no space for it.
            None => Box::pin(self.share_build(guild, key, clock, build())).await,
        }
    }

    async fn share_build<E>(
        &self,
        guild: GuildId,
        key: K,
        clock: &Clock,
        build: impl Future<Output = Result<Arc<Ready>, E>>,
    ) -> Result<Arc<Ready>, E> {
        let came = Instant::now();
        let last = self.building(guild, key);
        let mut last = last.lock().await;
        if let Some(list) = self.get(guild, key, clock) {
            return Ok(list);
        }
        let shared = last.as_ref().filter(|(began, list)| *began >= came && list.holds(clock.now()));
        if let Some((_, list)) = shared {
            return Ok(list.clone());
        }
        // The memory of the old one is for the new one.
        *last = None;
        self.kept.remove(guild, key);
        let began = Instant::now();
        let list = self.kept.load(guild, key, build).await?;
        *last = Some((began, list.clone()));
        Ok(list)
    }

    fn building(&self, guild: GuildId, key: K) -> Arc<Build> {
        let mut building = self.building.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(build) = building.get(&(guild, key)).and_then(Weak::upgrade) {
            return build;
        }
        building.retain(|_, build| build.strong_count() > 0);
        let build = Arc::default();
        building.insert((guild, key), Arc::downgrade(&build));
        build
    }

    pub(crate) fn forget(&self, guild: GuildId) {
        self.kept.forget(guild);
    }

    /// Frees memory for another large list.
    pub(crate) fn drop_large(&self) {
        self.kept.remove_if(|list| list.is_large());
    }
}

impl<K> Kept for Lists<K>
where
    K: Hash + Eq + Copy + Send + Sync + 'static,
{
    fn report(&self) {
        self.kept.report();
    }

    fn forget_all(&self) {
        self.kept.forget_all();
    }
}

#[cfg(test)]
mod tests;
