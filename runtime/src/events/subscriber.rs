//! Receives events of the other processes. After every subscription, the first included, local subscribers get a
//! resync: events before it may have been missed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::StreamExt;
use redis::aio::PubSubSink;
use redis::{Msg, RedisError, Value};
use tokio::sync::broadcast;

use super::event::{Event, Message, channel};
use crate::redis::{COMMAND_TIMEOUT, Redis};
use crate::shutdown::Shutdown;

/// Backoff between attempts to subscribe: doubled from the first to the last, with jitter.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(2));
/// Ping interval of an idle subscription: a dead network closes no connection.
const PING: Duration = Duration::from_secs(1);

pub(super) struct Subscription {
    up: Arc<AtomicBool>,
}

impl Subscription {
    pub(super) fn start(
        redis: Redis,
        origin: String,
        local: broadcast::Sender<Event>,
        shutdown: &Shutdown,
    ) -> Self {
        let up = Arc::new(AtomicBool::new(false));
        let listener = Listener { channel: channel(&redis), redis, origin, local, up: Arc::clone(&up) };
        shutdown.services().spawn(shutdown.hard().clone().run_until_cancelled_owned(listener.run()));
        Self { up }
    }

    pub(super) fn is_up(&self) -> bool {
        self.up.load(Ordering::Acquire)
    }
}

struct Listener {
    redis: Redis,
    channel: String,
    origin: String,
    local: broadcast::Sender<Event>,
    up: Arc<AtomicBool>,
}

impl Listener {
    async fn run(self) {
        let mut pause = BACKOFF.0;
        loop {
            let ended = self.listen().await;
            if self.up.swap(false, Ordering::AcqRel) {
                tracing::warn!(error = ended, "event subscription lost: caches live 1 s until it is back");
                pause = BACKOFF.0;
            }
            tokio::time::sleep(pause.mul_f64(rand::random_range(0.5..1.0))).await;
            pause = (pause * 2).min(BACKOFF.1);
        }
    }

    /// Returns why the subscription ended.
    async fn listen(&self) -> String {
        let opened = async {
            let mut pubsub = self.redis.pubsub().await?;
            pubsub.subscribe(&self.channel).await?;
            Ok::<_, RedisError>(pubsub.split())
        };
        let (mut sink, mut messages) = match opened.await {
            Ok(halves) => halves,
            Err(error) => return error.to_string(),
        };
        self.announce(Event::Resync);
        self.up.store(true, Ordering::Release);
        tracing::info!("event subscription is up");
        loop {
            match tokio::time::timeout(PING, messages.next()).await {
                Ok(Some(message)) => self.hear(&message),
                Ok(None) => return "connection closed".to_owned(),
                Err(_) if alive(&mut sink).await => {}
                Err(_) => return "no answer to a ping".to_owned(),
            }
        }
    }

    fn hear(&self, message: &Msg) {
        match serde_json::from_slice::<Message>(message.get_payload_bytes()) {
            Ok(message) if message.origin == self.origin => {}
            Ok(message) => self.announce(message.event),
            // A newer version may send unknown events: then anything may have changed.
            Err(error) => {
                tracing::debug!(%error, "an event was not understood");
                self.announce(Event::Resync);
            }
        }
    }

    fn announce(&self, event: Event) {
        // An error only means that this process has no subscriber.
        let _ = self.local.send(event);
    }
}

async fn alive(sink: &mut PubSubSink) -> bool {
    matches!(tokio::time::timeout(COMMAND_TIMEOUT, sink.ping::<Value>()).await, Ok(Ok(_)))
}
