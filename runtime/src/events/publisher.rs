//! Sends events to the other processes through Redis, from a bounded queue. An event that cannot be sent is dropped:
//! the change log has it.

use tokio::sync::mpsc;

use super::event::{Message, channel};
use crate::redis::{COMMAND_TIMEOUT, Redis};
use crate::shutdown::Shutdown;

/// Queued events; further ones are dropped.
const QUEUE_LENGTH: usize = 1_024;

pub(super) struct Publisher(mpsc::Sender<Message>);

impl Publisher {
    pub(super) fn start(redis: Redis, shutdown: &Shutdown) -> Self {
        let (queue, waiting) = mpsc::channel(QUEUE_LENGTH);
        shutdown.services().spawn(shutdown.hard().clone().run_until_cancelled_owned(run(redis, waiting)));
        Self(queue)
    }

    pub(super) fn publish(&self, message: Message) {
        if self.0.try_send(message).is_err() {
            count_lost();
        }
    }
}

async fn run(redis: Redis, mut waiting: mpsc::Receiver<Message>) {
    let channel = channel(&redis);
    while let Some(message) = waiting.recv().await {
        if !send(&redis, &channel, &message).await {
            count_lost();
        }
    }
}

async fn send(redis: &Redis, channel: &str, message: &Message) -> bool {
    let Ok(text) = serde_json::to_string(message) else { return false };
    let Ok(mut connection) = redis.connection().await else { return false };
    let mut command = redis::cmd("PUBLISH");
    command.arg(channel).arg(text);
    let sent = tokio::time::timeout(COMMAND_TIMEOUT, command.query_async::<()>(&mut connection)).await;
    matches!(sent, Ok(Ok(())))
}

fn count_lost() {
    metrics::counter!("guildhall_events_lost_total").increment(1);
}
