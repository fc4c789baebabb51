//! What all requests of this process share.

use std::sync::Arc;

use platforms::Platforms;
use queue::Queue;
use runtime::Context;

use crate::Options;
use crate::guard::{FailedKeys, KeyCache, LastUsed};
use crate::moderation::StatusCache;
use crate::play::{Heartbeats, KnownServers, Sessions, Waiting};
use crate::route::Router;
use crate::routes::ROUTES;
use crate::shield::Flags;
use crate::ws::Live;

pub(crate) struct App {
    pub(crate) options: Options,
    pub(crate) context: Context,
    pub(crate) queue: Queue,
    pub(crate) platforms: Platforms,
    pub(crate) router: Router,
    pub(crate) keys: KeyCache,
    pub(crate) status: StatusCache,
    pub(crate) failed_keys: FailedKeys,
    pub(crate) last_used: LastUsed,
    pub(crate) heartbeats: Heartbeats,
    pub(crate) known_servers: KnownServers,
    pub(crate) sessions: Sessions,
    pub(crate) waiting: Waiting,
    pub(crate) live: Live,
    pub(crate) shield: Flags,
}

impl App {
    pub(crate) fn new(context: Context, queue: Queue, platforms: Platforms, options: Options) -> Arc<Self> {
        Arc::new(Self {
            router: Router::new(ROUTES),
            keys: KeyCache::new(context.events.clone()),
            status: StatusCache::new(&context.events),
            failed_keys: FailedKeys::new(context.limits.clone()),
            last_used: LastUsed::new(),
            heartbeats: Heartbeats::default(),
            known_servers: KnownServers::new(),
            sessions: Sessions::new(context.events.clone()),
            waiting: Waiting::new(context.events.clone()),
            live: Live::default(),
            shield: Flags::new(context.events.clone()),
            options,
            context,
            queue,
            platforms,
        })
    }
}
