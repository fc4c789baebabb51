//! "Something changed": tells caches, sockets and waiting callers, in this process at once, in others through Redis.
//!
//! Best effort by design: nothing may rest on an event alone. Whoever loses some is told so with [`Event::Resync`],
//! and while the subscription is down ([`Events::trusted`]) cache entries live 1 s at most.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::broadcast;

use crate::redis::Redis;
use crate::shutdown::Shutdown;

mod event;
mod publisher;
mod subscriber;

pub use event::{Event, ModerationVerb};
use publisher::Publisher;
use subscriber::Subscription;

/// Events a slow subscriber may fall behind before it gets `Lagged`, to be treated like [`Event::Resync`].
const BACKLOG: usize = 4_096;

#[derive(Clone)]
pub struct Events(Arc<Inner>);

struct Inner {
    local: broadcast::Sender<Event>,
    remote: Option<(Publisher, Subscription)>,
}

impl Events {
    pub fn in_process() -> Self {
        let (local, _) = broadcast::channel(BACKLOG);
        Self(Arc::new(Inner { local, remote: None }))
    }

    /// Publishes to and hears from all processes on this Redis and prefix. Its two tasks run as
    /// [`Shutdown::services`]: what is published during the last moments still gets out.
    pub fn redis(redis: &Redis, shutdown: &Shutdown) -> Self {
        let (local, _) = broadcast::channel(BACKLOG);
        let origin = format!("{:032x}", rand::random::<u128>());
        let publisher = Publisher::start(redis.clone(), origin.clone(), shutdown);
        let subscription = Subscription::start(redis.clone(), origin, local.clone(), shutdown);
        Self(Arc::new(Inner { local, remote: Some((publisher, subscription)) }))
    }

    /// Never blocks. Subscribers in this process have it at once; call it after the commit.
    pub fn publish(&self, event: Event) {
        // An error only says that nobody in this process listens.
        let _ = self.0.local.send(event.clone());
        if let Some((publisher, _)) = &self.0.remote {
            publisher.publish(event);
        }
    }

    /// Everything from now on. Treat `RecvError::Lagged` like [`Event::Resync`].
    pub fn subscribe(&self) -> broadcast::Receiver<Event> {
        self.0.local.subscribe()
    }

    /// Whether changes made by others are heard. Never in-process: a command beside `serve` writes the same file.
    pub fn trusted(&self) -> bool {
        self.0.remote.as_ref().is_some_and(|(_, subscription)| subscription.is_up())
    }

    /// Waits until what was published so far has been sent, for commands about to exit. `false` when it was not.
    pub async fn flush(&self, patience: Duration) -> bool {
        match &self.0.remote {
            Some((publisher, _)) => tokio::time::timeout(patience, publisher.flush()).await.unwrap_or(false),
            None => true,
        }
    }
}

#[cfg(test)]
mod tests;
