//! Answers kept in memory until something changes, so that the hot path asks the database nothing.
//!
//! A change is heard as an event. Where events cannot be trusted (subscription down; or embedded, where the command
//! line writes the same file) an answer lives one second.

use std::hash::Hash;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use moka::future::Cache;
use runtime::Events;
use sea_orm::DbErr;

/// While events cannot be trusted.
const UNTRUSTED_LIFE: Duration = Duration::from_secs(1);

pub(crate) struct Remembered<K, V> {
    answers: Cache<K, Answer<V>>,
    /// Counts changes, so that what was read before a change is not kept after it.
    generation: AtomicU64,
    events: Events,
}

#[derive(Clone)]
struct Answer<V> {
    value: V,
    read_at: Instant,
}

impl<K, V> Remembered<K, V>
where
    K: Hash + Eq + Clone + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    /// `life` bounds what a bug or a lost event can do.
    pub(crate) fn new(events: Events, capacity: u64, life: Duration) -> Self {
        let answers = Cache::builder().max_capacity(capacity).time_to_live(life).build();
        Self { answers, generation: AtomicU64::new(0), events }
    }

    /// What is known and young enough to rest on.
    pub(crate) async fn get(&self, key: &K) -> Option<V> {
        let answer = self.answers.get(key).await?;
        let fresh = self.events.trusted() || answer.read_at.elapsed() < UNTRUSTED_LIFE;
        fresh.then_some(answer.value)
    }

    /// Reads and keeps the answer, unless something changed meanwhile.
    pub(crate) async fn load(
        &self,
        key: &K,
        read: impl Future<Output = Result<V, DbErr>>,
    ) -> Result<V, DbErr> {
        let generation = self.generation.load(Ordering::SeqCst);
        let read_at = Instant::now();
        let value = read.await?;
        if self.generation.load(Ordering::SeqCst) == generation {
            self.answers.insert(key.clone(), Answer { value: value.clone(), read_at }).await;
            // A change heard between the check and the insert has dropped nothing: look again.
            if self.generation.load(Ordering::SeqCst) != generation {
                self.answers.invalidate(key).await;
            }
        }
        Ok(value)
    }

    pub(crate) async fn forget(&self, key: &K) {
        self.generation.fetch_add(1, Ordering::SeqCst);
        self.answers.invalidate(key).await;
    }

    pub(crate) fn forget_all(&self) {
        self.generation.fetch_add(1, Ordering::SeqCst);
        self.answers.invalidate_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remembered() -> Remembered<u8, u8> {
        Remembered::new(Events::in_process(), 10, Duration::from_secs(60))
    }

    fn value(value: u8) -> std::future::Ready<Result<u8, DbErr>> {
        std::future::ready(Ok(value))
    }

    #[tokio::test]
    async fn without_trusted_events_an_answer_lives_for_a_second() {
        let cache = remembered();
        assert_eq!(cache.load(&1, value(7)).await.unwrap(), 7);
        assert_eq!(cache.get(&1).await, Some(7));
        let old = Instant::now().checked_sub(UNTRUSTED_LIFE).unwrap();
        cache.answers.insert(1, Answer { value: 7, read_at: old }).await;
        assert_eq!(cache.get(&1).await, None);
    }

    #[tokio::test]
    async fn what_was_read_before_a_change_is_not_kept_after_it() {
        let cache = remembered();
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
