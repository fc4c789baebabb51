//! The broker of the embedded mode: a channel for each class. A restart empties it; the safety net finds the jobs.

use std::sync::Arc;

use entities::JobId;
use entities::job::{Class, JobMessage};
use tokio::sync::{Mutex, mpsc, watch};

use super::delivery::Delivery;
use crate::Answer;
use crate::reply::Waiters;

/// The destination of every answer in this mode: a waiter of this process.
const LOCAL_REPLY_QUEUE: &str = "here";

#[derive(Clone)]
pub struct InProcessBroker {
    channels: Arc<[Channel; Class::ALL.len()]>,
    waiters: Waiters,
    /// It never reconnects; the sender keeps its receivers from ending.
    connects: Arc<watch::Sender<u64>>,
}

struct Channel {
    sender: mpsc::UnboundedSender<JobMessage>,
    receiver: Mutex<mpsc::UnboundedReceiver<JobMessage>>,
}

impl Channel {
    fn new() -> Self {
        let (sender, receiver) = mpsc::unbounded_channel();
        Self { sender, receiver: Mutex::new(receiver) }
    }
}

impl InProcessBroker {
    pub(super) fn new(waiters: Waiters) -> Self {
        let channels = Arc::new(std::array::from_fn(|_| Channel::new()));
        Self { channels, waiters, connects: Arc::new(watch::Sender::new(1)) }
    }

    fn channel(&self, class: Class) -> &Channel {
        &self.channels[class as usize]
    }

    pub(super) fn publish(&self, mut message: JobMessage, expect_reply: bool) {
        if expect_reply {
            message.reply_to = Some(LOCAL_REPLY_QUEUE.to_owned());
        }
        // This struct owns both ends, so the channel is never closed.
        drop(self.channel(message.class).sender.send(message));
    }

    pub(super) fn connects(&self) -> watch::Receiver<u64> {
        self.connects.subscribe()
    }

    pub(super) fn consume(&self, class: Class) -> Deliveries {
        Deliveries { broker: self.clone(), class }
    }

    pub(super) fn reply(&self, job: JobId, answer: Answer) {
        self.waiters.resolve(job, answer);
    }
}

pub(crate) struct Deliveries {
    broker: InProcessBroker,
    class: Class,
}

impl Deliveries {
    pub(super) async fn next(&mut self, most: usize) -> Vec<Delivery> {
        let mut messages = Vec::new();
        self.broker.channel(self.class).receiver.lock().await.recv_many(&mut messages, most).await;
        messages.into_iter().map(|message| Delivery { message, _done: None }).collect()
    }
}
