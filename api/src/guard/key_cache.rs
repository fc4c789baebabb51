//! Keys by public id, so that a request asks the database nothing. Bounded; unknown ids are remembered too.
//!
//! A change is heard as an event. Where events cannot be trusted (subscription down; or embedded, where the command
//! line writes the same file) an entry lives one second: a revoked key is refused everywhere within that.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use entities::api_key;
use moka::future::Cache;
use runtime::{Event, Events};
use sea_orm::{ConnectionTrait, DbErr};
use tokio::sync::broadcast::error::RecvError;

use super::Key;
use crate::app::App;

const CAPACITY: u64 = 10_000;
/// While events cannot be trusted, and for unknown ids always.
const UNTRUSTED_LIFE: Duration = Duration::from_secs(1);
/// With events trusted: a bound on what a bug or a lost event can do.
const TRUSTED_LIFE: Duration = Duration::from_secs(60);

pub(crate) struct KeyCache {
    entries: Cache<String, Entry>,
    /// Counts changes, so that a row read before a change is not kept after it.
    generation: AtomicU64,
    events: Events,
}

#[derive(Clone)]
struct Entry {
    /// None: there is no such key.
    key: Option<Arc<Key>>,
    read_at: Instant,
}

impl KeyCache {
    pub(crate) fn new(events: Events) -> Self {
        let entries = Cache::builder().max_capacity(CAPACITY).time_to_live(TRUSTED_LIFE).build();
        Self { entries, generation: AtomicU64::new(0), events }
    }

    /// What is known of the id and young enough to rest on; `Some(None)` where it is known not to exist.
    pub(super) async fn fresh(&self, public_id: &str) -> Option<Option<Arc<Key>>> {
        let entry = self.entries.get(public_id).await?;
        let trusted = entry.key.is_some() && self.events.trusted();
        (trusted || entry.read_at.elapsed() < UNTRUSTED_LIFE).then_some(entry.key)
    }

    pub(super) async fn load<C: ConnectionTrait>(
        &self,
        conn: &C,
        public_id: &str,
    ) -> Result<Option<Arc<Key>>, DbErr> {
        let generation = self.generation.load(Ordering::SeqCst);
        let read_at = Instant::now();
        let row = api_key::find_by_public_id(conn, public_id).await?;
        let key = row.map(|row| Arc::new(Key::new(row)));
        if self.generation.load(Ordering::SeqCst) == generation {
            self.entries.insert(public_id.to_owned(), Entry { key: key.clone(), read_at }).await;
            // A change heard between the check and the insert has dropped nothing: look again.
            if self.generation.load(Ordering::SeqCst) != generation {
                self.entries.invalidate(public_id).await;
            }
        }
        Ok(key)
    }

    async fn hear(&self, event: Result<Event, RecvError>) {
        match event {
            Ok(Event::KeyChanged { public_id }) => {
                self.generation.fetch_add(1, Ordering::SeqCst);
                self.entries.invalidate(&public_id).await;
            }
            Ok(Event::Resync) | Err(_) => {
                self.generation.fetch_add(1, Ordering::SeqCst);
                self.entries.invalidate_all();
            }
            Ok(_) => {}
        }
    }
}

/// Keeps the cache in line with what is heard, for as long as the process runs.
pub(crate) fn listen(app: Arc<App>) -> impl Future<Output = ()> + Send {
    let mut events = app.context.events.subscribe();
    async move {
        loop {
            let event = events.recv().await;
            let ended = matches!(event, Err(RecvError::Closed));
            app.keys.hear(event).await;
            if ended {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use entities::api_key::Scopes;
    use entities::key_text::KeyText;

    use super::*;

    fn key(text: &KeyText) -> Arc<Key> {
        Arc::new(Key::new(api_key::Model {
            key_id: 1.try_into().unwrap(),
            guild_id: "5".parse().unwrap(),
            public_id: text.public_id().to_owned(),
            secret_hash: text.secret_hash().to_vec(),
            name: String::new(),
            owner_id: "6".parse().unwrap(),
            scopes: Scopes::default_set().to_string(),
            created_at: chrono::DateTime::UNIX_EPOCH,
            expires_at: None,
            last_used_at: None,
            revoked_at: None,
            hot_path_factor: 1,
        }))
    }

    #[tokio::test]
    async fn without_trusted_events_an_entry_is_fresh_for_a_second_only() {
        let (cache, text) = (KeyCache::new(Events::in_process()), KeyText::generate());
        let old = Instant::now().checked_sub(UNTRUSTED_LIFE).unwrap();
        for (read_at, fresh) in [(Instant::now(), true), (old, false)] {
            let entry = Entry { key: Some(key(&text)), read_at };
            cache.entries.insert(text.public_id().to_owned(), entry).await;
            assert_eq!(cache.fresh(text.public_id()).await.is_some(), fresh);
        }
    }

    #[tokio::test]
    async fn a_change_drops_the_key_and_a_gap_drops_all() {
        let cache = KeyCache::new(Events::in_process());
        let (one, two) = (KeyText::generate(), KeyText::generate());
        for text in [&one, &two] {
            let entry = Entry { key: Some(key(text)), read_at: Instant::now() };
            cache.entries.insert(text.public_id().to_owned(), entry).await;
        }
        cache.hear(Ok(Event::KeyChanged { public_id: one.public_id().to_owned() })).await;
        assert!(cache.fresh(one.public_id()).await.is_none());
        assert!(cache.fresh(two.public_id()).await.is_some());
        cache.hear(Err(RecvError::Lagged(3))).await;
        assert!(cache.fresh(two.public_id()).await.is_none());
    }
}
