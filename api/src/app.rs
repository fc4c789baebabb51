//! What all requests of this process share.

use std::sync::Arc;

use platforms::Platforms;
use queue::Queue;
use runtime::Context;

use crate::guard::{FailedKeys, KeyCache, LastUsed};
use crate::route::Router;
use crate::routes::ROUTES;

pub(crate) struct App {
    pub(crate) context: Context,
    pub(crate) queue: Queue,
    pub(crate) platforms: Platforms,
    pub(crate) router: Router,
    pub(crate) keys: KeyCache,
    pub(crate) failed_keys: FailedKeys,
    pub(crate) last_used: LastUsed,
}

impl App {
    pub(crate) fn new(context: Context, queue: Queue, platforms: Platforms) -> Arc<Self> {
        Arc::new(Self {
            router: Router::new(ROUTES),
            keys: KeyCache::new(context.events.clone()),
            failed_keys: FailedKeys::new(context.limits.clone()),
            last_used: LastUsed::new(),
            context,
            queue,
            platforms,
        })
    }
}
