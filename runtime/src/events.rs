//! Change events for caches, sockets and waiting callers: immediate in this process, through Redis in others.
//!
//! Best effort by design: correctness must not depend on an event alone. A subscriber that lost events gets
//! [`Event::Resync`], and while the subscription is down ([`Events::trusted`]) cache entries live at most 1 s.

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

/// Events a slow subscriber may lag behind before it gets `Lagged`, which it treats like [`Event::Resync`].
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

    /// Publishes to and subscribes from all processes on this Redis and prefix. Its two tasks run as
    /// [`Shutdown::services`], so that events published during shutdown are still sent.
    pub fn redis(redis: &Redis, shutdown: &Shutdown) -> Self {
        let (local, _) = broadcast::channel(BACKLOG);
        let origin = format!("{:032x}", rand::random::<u128>());
        let publisher = Publisher::start(redis.clone(), origin.clone(), shutdown);
        let subscription = Subscription::start(redis.clone(), origin, local.clone(), shutdown);
        Self(Arc::new(Inner { local, remote: Some((publisher, subscription)) }))
    }

    /// Never blocks. Subscribers in this process receive the event at once; call it after the commit.
    pub fn publish(&self, event: Event) {
        // An error only means that this process has no subscriber.
        let _ = self.0.local.send(event.clone());
        if let Some((publisher, _)) = &self.0.remote {
            publisher.publish(event);
        }
    }

    /// All events from now on. Treat `RecvError::Lagged` like [`Event::Resync`].
    pub fn subscribe(&self) -> broadcast::Receiver<Event> {
        self.0.local.subscribe()
    }

    /// Whether changes by other processes arrive. Never in-process: a command beside `serve` writes the same file.
    pub fn trusted(&self) -> bool {
        self.0.remote.as_ref().is_some_and(|(_, subscription)| subscription.is_up())
    }

    /// Waits until all events published so far are sent, for commands about to exit. `false` if they were not.
    pub async fn flush(&self, timeout: Duration) -> bool {
        match &self.0.remote {
            Some((publisher, _)) => tokio::time::timeout(timeout, publisher.flush()).await.unwrap_or(false),
            None => true,
        }
    }
}

#[cfg(test)]
mod tests;
