//! The doorbell of the embedded mode: a channel for each class. It forgets on restart; the relay rings again.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use entities::JobId;
use entities::job::{Class, Ticket};
use tokio::sync::{Mutex, mpsc, watch};
use tokio_util::sync::CancellationToken;

use super::{Delivery, Settle};
use crate::Answer;
use crate::waiters::Waiters;

/// Where every answer of this mode goes: to a waiter of this very process.
const HERE: &str = "here";

#[derive(Clone)]
pub struct InProcessBroker {
    channels: Arc<[Channel; 3]>,
    waiters: Waiters,
    /// It never reconnects; the sender keeps its receivers from ending.
    connects: Arc<watch::Sender<u64>>,
}

struct Channel {
    sender: mpsc::UnboundedSender<Ticket>,
    receiver: Arc<Mutex<mpsc::UnboundedReceiver<Ticket>>>,
    depth: Arc<AtomicU64>,
}

impl Channel {
    fn new() -> Self {
        let (sender, receiver) = mpsc::unbounded_channel();
        Self { sender, receiver: Arc::new(Mutex::new(receiver)), depth: Arc::default() }
    }
}

impl InProcessBroker {
    pub(super) fn new(waiters: Waiters) -> Self {
        let channels = Arc::new([Channel::new(), Channel::new(), Channel::new()]);
        Self { channels, waiters, connects: Arc::new(watch::Sender::new(1)) }
    }

    fn channel(&self, class: Class) -> &Channel {
        &self.channels[match class {
            Class::Interactive => 0,
            Class::Default => 1,
            Class::Bulk => 2,
        }]
    }

    pub(super) fn publish(&self, mut ticket: Ticket, expect_reply: bool) {
        if expect_reply {
            ticket.reply_to = Some(HERE.to_owned());
        }
        self.put_back(ticket);
    }

    pub(super) fn put_back(&self, ticket: Ticket) {
        let channel = self.channel(ticket.class);
        channel.depth.fetch_add(1, Ordering::Relaxed);
        // Both ends live in this very struct, so the channel is never closed.
        drop(channel.sender.send(ticket));
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

    pub(super) fn depth(&self, class: Class) -> u64 {
        self.channel(class).depth.load(Ordering::Relaxed)
    }
}

pub(crate) struct Deliveries {
    broker: InProcessBroker,
    class: Class,
}

impl Deliveries {
    pub(super) async fn next(&mut self) -> Option<Delivery> {
        let channel = self.broker.channel(self.class);
        let ticket = channel.receiver.lock().await.recv().await?;
        channel.depth.fetch_sub(1, Ordering::Relaxed);
        let settle = Settle::InProcess(self.broker.clone());
        Some(Delivery { ticket, redelivered: false, lost: CancellationToken::new(), settle })
    }
}
