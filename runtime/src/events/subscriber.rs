//! Receives events of other processes through Redis, sooner than the change log is read.

use std::time::Duration;

use futures_util::StreamExt;
use redis::aio::PubSubSink;
use redis::{RedisError, Value};

use super::event::{Message, channel};
use crate::redis::{COMMAND_TIMEOUT, Redis};
use crate::shutdown::Shutdown;

/// Backoff between attempts to subscribe: doubled from the first to the last, with jitter.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(2));
/// Ping interval of an idle subscription: a dead network closes no connection.
const PING: Duration = Duration::from_secs(1);

/// Gives each event to `hear`.
pub(super) fn start(redis: Redis, hear: impl Fn(Message) + Send + Sync + 'static, shutdown: &Shutdown) {
    shutdown.services().spawn(shutdown.hard().clone().run_until_cancelled_owned(run(redis, hear)));
}

async fn run(redis: Redis, hear: impl Fn(Message) + Sync) {
    let mut pause = BACKOFF.0;
    loop {
        let (subscribed, ended) = match listen(&redis, &hear).await {
            Ok(ended) => (true, ended.to_owned()),
            Err(error) => (false, error.to_string()),
        };
        if subscribed {
            tracing::warn!(error = ended, "event subscription lost: changes are read from the change log");
            pause = BACKOFF.0;
        }
        tokio::time::sleep(pause.mul_f64(rand::random_range(0.5..1.0))).await;
        pause = (pause * 2).min(BACKOFF.1);
    }
}

/// Returns why the subscription ended, or why there was none.
async fn listen(redis: &Redis, hear: &(impl Fn(Message) + Sync)) -> Result<&'static str, RedisError> {
    let mut pubsub = redis.pubsub().await?;
    pubsub.subscribe(channel(redis)).await?;
    let (mut sink, mut messages) = pubsub.split();
    tracing::info!("event subscription is up");
    loop {
        match tokio::time::timeout(PING, messages.next()).await {
            Ok(Some(message)) => match serde_json::from_slice(message.get_payload_bytes()) {
                Ok(message) => hear(message),
                Err(error) => tracing::debug!(%error, "an event was not understood: the change log decides"),
            },
            Ok(None) => return Ok("connection closed"),
            Err(_) if alive(&mut sink).await => {}
            Err(_) => return Ok("no answer to a ping"),
        }
    }
}

async fn alive(sink: &mut PubSubSink) -> bool {
    matches!(tokio::time::timeout(COMMAND_TIMEOUT, sink.ping::<Value>()).await, Ok(Ok(_)))
}
