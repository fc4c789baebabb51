//! Sends events to the other processes from a bounded queue. Events that cannot be sent are dropped; when Redis is
//! back, the other processes get a resync instead.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};

use super::event::{Event, Message, channel};
use crate::redis::{COMMAND_TIMEOUT, Redis};
use crate::shutdown::Shutdown;

/// Queued events; further ones are dropped and cause a resync.
const QUEUE: usize = 1_024;
/// Pause between attempts to send the resync.
const RETRY: Duration = Duration::from_millis(250);

enum Outgoing {
    Event(Event),
    Flush(oneshot::Sender<bool>),
}

pub(super) struct Publisher {
    queue: mpsc::Sender<Outgoing>,
    /// Events were dropped since the last successful resync.
    lost: Arc<AtomicBool>,
}

impl Publisher {
    pub(super) fn start(redis: Redis, origin: String, shutdown: &Shutdown) -> Self {
        let (queue, waiting) = mpsc::channel(QUEUE);
        let lost = Arc::new(AtomicBool::new(false));
        let sender = Sender { channel: channel(&redis), redis, origin, lost: Arc::clone(&lost) };
        shutdown.services().spawn(run(sender, waiting, shutdown.clone()));
        Self { queue, lost }
    }

    pub(super) fn publish(&self, event: Event) {
        if self.queue.try_send(Outgoing::Event(event)).is_err() {
            self.lost.store(true, Ordering::Relaxed);
        }
    }

    /// Resolves to `true` once all earlier events are with Redis.
    pub(super) async fn flush(&self) -> bool {
        let (done, answer) = oneshot::channel();
        self.queue.send(Outgoing::Flush(done)).await.is_ok() && answer.await.unwrap_or(false)
    }
}

struct Sender {
    redis: Redis,
    channel: String,
    origin: String,
    lost: Arc<AtomicBool>,
}

async fn run(sender: Sender, mut waiting: mpsc::Receiver<Outgoing>, shutdown: Shutdown) {
    loop {
        let next = tokio::select! {
            next = waiting.recv() => next,
            () = tokio::time::sleep(RETRY), if sender.lost.load(Ordering::Relaxed) => {
                sender.catch_up().await;
                continue;
            }
            () = shutdown.hard().cancelled() => break,
        };
        match next {
            Some(outgoing) => sender.handle(outgoing).await,
            None => return,
        }
    }
    // Events that tracked tasks published just before they ended.
    while let Ok(outgoing) = waiting.try_recv() {
        sender.handle(outgoing).await;
    }
}

impl Sender {
    async fn handle(&self, outgoing: Outgoing) {
        match outgoing {
            Outgoing::Event(event) => self.send(event).await,
            Outgoing::Flush(done) => {
                self.catch_up().await;
                let _ = done.send(!self.lost.load(Ordering::Relaxed));
            }
        }
    }

    async fn send(&self, event: Event) {
        if self.try_send(event).await {
            // Redis is back: send the resync at once.
            return self.catch_up().await;
        }
        metrics::counter!("guildhall_events_lost_total").increment(1);
        self.lost.store(true, Ordering::Relaxed);
    }

    async fn catch_up(&self) {
        // Cleared first: events lost meanwhile cause another round.
        if self.lost.swap(false, Ordering::Relaxed) && !self.try_send(Event::Resync).await {
            self.lost.store(true, Ordering::Relaxed);
        }
    }

    async fn try_send(&self, event: Event) -> bool {
        let message = Message { origin: self.origin.clone(), event };
        let Ok(text) = serde_json::to_string(&message) else { return false };
        let Ok(mut connection) = self.redis.connection().await else { return false };
        let mut command = redis::cmd("PUBLISH");
        command.arg(&self.channel).arg(text);
        let sent = tokio::time::timeout(COMMAND_TIMEOUT, command.query_async::<()>(&mut connection)).await;
        matches!(sent, Ok(Ok(())))
    }
}
