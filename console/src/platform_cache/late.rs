//! What a platform says of many things, for lists. A list waits briefly for the platform and does without what is late; the
//! next request has it.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use runtime::TimedCache;
use tracing::Instrument;

const KEPT_FOR: Duration = Duration::from_hours(1);
/// Time until something without an answer is requested again.
const ASKED_AGAIN_AFTER: Duration = Duration::from_secs(30);
const CAPACITY: usize = 50_000;
/// A page waits for a platform no longer than this.
const PATIENCE: Duration = Duration::from_millis(400);

#[derive(Clone)]
pub(super) struct Late<K, V> {
    known: Arc<TimedCache<K, V>>,
    asked: Arc<TimedCache<K, ()>>,
}

impl<K, V> Late<K, V>
where
    K: Copy + Eq + Hash + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    pub(super) fn new() -> Self {
        let known = Arc::new(TimedCache::new(CAPACITY, KEPT_FOR));
        let asked = Arc::new(TimedCache::new(CAPACITY, ASKED_AGAIN_AFTER));
        Self { known, asked }
    }

    /// Those to ask the platform for: neither known nor asked for already.
    pub(super) fn lacks(&self, key: &K) -> bool {
        !self.known.contains(key) && !self.asked.contains(key)
    }

    /// Waits briefly for an answer, which goes on after the page stops waiting.
    pub(super) async fn ask(&self, keys: &[K], asking: impl Future<Output = ()> + Send + 'static) {
        keys.iter().for_each(|key| self.asked.insert(*key, ()));
        if !keys.is_empty() {
            let asking = tokio::spawn(asking.in_current_span());
            let _late: Result<_, _> = tokio::time::timeout(PATIENCE, asking).await;
        }
    }

    pub(super) fn learn(&self, answers: impl IntoIterator<Item = (K, V)>) {
        answers.into_iter().for_each(|(key, value)| self.known.insert(key, value));
    }

    /// What is known of these.
    pub(super) fn known(&self, keys: &[K]) -> HashMap<K, V> {
        keys.iter().filter_map(|key| Some((*key, self.known.get(key)?))).collect()
    }
}
