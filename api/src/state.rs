//! State shared by all requests of this process.

use std::sync::Arc;

use platforms::Platforms;
use queue::Queue;
use runtime::Context;
use sea_orm::DbErr;

use crate::auth::failures::FailedKeys;
use crate::cache::caches::Caches;
use crate::heartbeats::Heartbeats;
use crate::live::sockets::Live;
use crate::options::Options;

pub(crate) struct State {
    pub(crate) options: Options,
    pub(crate) context: Context,
    pub(crate) queue: Queue,
    pub(crate) platforms: Platforms,
    pub(crate) caches: Caches,
    pub(crate) failed_keys: FailedKeys,
    pub(crate) heartbeats: Heartbeats,
    pub(crate) live: Live,
}

impl State {
    pub(crate) fn new(context: Context, queue: Queue, platforms: Platforms, options: Options) -> Arc<Self> {
        Arc::new(Self {
            caches: Caches::new(&context.events),
            failed_keys: FailedKeys::new(context.limits.clone()),
            heartbeats: Heartbeats::default(),
            live: Live::default(),
            options,
            context,
            queue,
            platforms,
        })
    }

    /// Writes the pending session heartbeats, so that later reads are exact to the second. Sessions that had ended leave
    /// the cache.
    pub(crate) async fn write_session_heartbeats(&self) -> Result<(), DbErr> {
        for session in self.heartbeats.write_sessions(&self.context).await? {
            self.caches.sessions.entries.forget(&session).await;
        }
        Ok(())
    }
}
