//! Time of a key's last use: written at most once a minute, and never delays a request.

use std::time::Duration;

use entities::{KeyId, api_key};
use moka::future::Cache;

use runtime::Context;

use crate::auth::key::Key;

const EVERY: Duration = Duration::from_secs(60);
const CAPACITY: u64 = 10_000;

pub(crate) struct LastUsed(Cache<KeyId, ()>);

impl LastUsed {
    pub(crate) fn new() -> Self {
        Self(Cache::builder().max_capacity(CAPACITY).time_to_live(EVERY).build())
    }

    pub(crate) async fn note(&self, context: &Context, key: &Key) {
        if self.0.contains_key(&key.id()) || !self.0.entry(key.id()).or_insert(()).await.is_fresh() {
            return;
        }
        let now = context.clock.now();
        // Another process has just written it.
        if key.last_used_at().is_some_and(|last| last + EVERY > now) {
            return;
        }
        let (context, key) = (context.clone(), key.id());
        context.shutdown.clone().tracker().spawn(async move {
            if let Err(error) = api_key::touch(context.database.write(), key, now).await {
                tracing::warn!(%error, key.id = key.get(), "cannot note the use of a key");
            }
        });
    }
}
