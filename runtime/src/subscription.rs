//! A subscription to a Redis channel that is renewed until shutdown. Messages published while it is down are
//! lost: it must never be the only way.
//!
//! The connection for commands mostly ends and comes back with it, but an idle process would notice only at its next command,
//! and refuse that one: so it is asked at both ends of a subscription.

use std::time::Duration;

use futures_util::StreamExt;
use redis::aio::PubSubSink;
use redis::{RedisError, Value};

use crate::redis::{COMMAND_TIMEOUT, Redis};
use crate::shutdown::Shutdown;

/// Backoff between attempts to subscribe: doubled from the first to the last, with jitter.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(2));
/// Ping interval of an idle subscription: a dead network does not close the connection.
const PING_INTERVAL: Duration = Duration::from_secs(1);

/// Gives each message to `hear`.
pub(crate) fn start(
    redis: &Redis,
    channel: String,
    hear: impl Fn(&[u8]) + Send + Sync + 'static,
    shutdown: &Shutdown,
) {
    let running = run(redis.clone(), channel, hear);
    shutdown.services().spawn(shutdown.hard().clone().run_until_cancelled_owned(running));
}

async fn run(redis: Redis, channel: String, hear: impl Fn(&[u8]) + Sync) {
    let mut pause = BACKOFF.0;
    loop {
        let (subscribed, ended) = match listen(&redis, &channel, &hear).await {
            Ok(ended) => (true, ended.to_owned()),
            Err(error) => (false, error.to_string()),
        };
        if subscribed {
            tracing::warn!(channel, error = ended, "redis subscription lost");
            pause = BACKOFF.0;
            redis.ping().await;
        }
        tokio::time::sleep(pause.mul_f64(rand::random_range(0.5..1.0))).await;
        pause = (pause * 2).min(BACKOFF.1);
    }
}

/// Returns why the subscription ended, or why there was none.
async fn listen(
    redis: &Redis,
    channel: &str,
    hear: &(impl Fn(&[u8]) + Sync),
) -> Result<&'static str, RedisError> {
    let mut pubsub = redis.pubsub().await?;
    pubsub.subscribe(channel).await?;
    let (mut sink, mut messages) = pubsub.split();
    tracing::info!(channel, "redis subscription is up");
    redis.reconnect_if_lost().await;
    loop {
        match tokio::time::timeout(PING_INTERVAL, messages.next()).await {
            Ok(Some(message)) => hear(message.get_payload_bytes()),
            Ok(None) => return Ok("connection closed"),
            Err(_) if alive(&mut sink).await => {}
            Err(_) => return Ok("no answer to a ping"),
        }
    }
}

async fn alive(sink: &mut PubSubSink) -> bool {
    matches!(tokio::time::timeout(COMMAND_TIMEOUT, sink.ping::<Value>()).await, Ok(Ok(_)))
}
