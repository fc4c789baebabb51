//! Deliveries of one class over its own supervised connection.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use entities::job::Class;
use futures_util::StreamExt;
use lapin::options::{BasicAckOptions, BasicCancelOptions, BasicConsumeOptions, BasicQosOptions};
use lapin::protocol::AMQPSoftError;
use lapin::types::FieldTable;
use lapin::{Channel, Connection, Consumer};
use runtime::Shutdown;
use tokio::sync::mpsc;

use super::supervised::SupervisedConnection;
use super::topology::{self, Names};
use super::{dial, supervised};
use crate::broker::delivery::{Delivery, Done};
use crate::message;

const RETRY_PAUSE: Duration = Duration::from_millis(500);
const CONSUMER_TAG: &str = "guildhall";

pub(crate) struct Deliveries {
    receiver: mpsc::Receiver<Delivery>,
}

impl Deliveries {
    pub(in crate::broker) async fn next(&mut self, most: usize) -> Vec<Delivery> {
        let mut deliveries = Vec::new();
        self.receiver.recv_many(&mut deliveries, most).await;
        deliveries
    }
}

pub(super) struct Feed {
    pub(super) url: Arc<str>,
    pub(super) names: Arc<Names>,
    /// Declares missing queues on each connect.
    pub(super) publisher: SupervisedConnection,
    pub(super) class: Class,
    /// Bounds the unacknowledged deliveries (prefetch).
    pub(super) slots: u16,
    pub(super) shutdown: Shutdown,
}

impl Feed {
    pub(super) fn start(self) -> Deliveries {
        let (sender, receiver) = mpsc::channel(usize::from(self.slots));
        let (stop, services) = (self.shutdown.hard().clone(), self.shutdown.services().clone());
        services.spawn(async move { stop.run_until_cancelled(self.run(sender)).await });
        Deliveries { receiver }
    }

    async fn run(self, sender: mpsc::Sender<Delivery>) {
        // The sender lives as long as the process.
        drop(self.publisher.connects().wait_for(|count| *count > 0).await);
        while !self.shutdown.soft().is_cancelled() {
            match self.open().await {
                Ok((connection, channel, consumer)) => {
                    tracing::info!(class = self.class.name(), slots = self.slots, "taking jobs");
                    tokio::select! {
                        () = self.pump(&channel, consumer, &sender) => {}
                        reason = supervised::trouble(&connection, &channel) => {
                            tracing::warn!(class = self.class.name(), reason, "deliveries ended, connecting anew");
                        }
                    }
                    if self.shutdown.soft().is_cancelled() {
                        // Earlier deliveries are still being acknowledged over this channel.
                        self.shutdown.hard().cancelled().await;
                    }
                    tokio::spawn(async move { supervised::close(&connection).await });
                }
                Err(error) => {
                    runtime::warn_throttled!(
                        class = self.class.name(),
                        error,
                        "cannot take jobs, trying again"
                    );
                }
            }
            tokio::time::sleep(RETRY_PAUSE).await;
        }
    }

    async fn open(&self) -> Result<(Connection, Channel, Consumer), String> {
        let connection = dial::connect(&self.url, self.class.name()).await?;
        let opening = async {
            let channel = connection.create_channel().await?;
            channel.basic_qos(self.slots, BasicQosOptions::default()).await?;
            let queue = self.names.queue(self.class);
            let options = BasicConsumeOptions::default();
            let consuming =
                channel.basic_consume(queue.into(), CONSUMER_TAG.into(), options, FieldTable::default());
            let consumer = consuming.await.inspect_err(|error| {
                if topology::is(error, AMQPSoftError::NOTFOUND) {
                    // The queue was deleted: the next publishing connection declares it anew.
                    self.publisher.renew();
                }
            })?;
            Ok::<_, lapin::Error>((channel, consumer))
        };
        let (channel, consumer) = supervised::set_up(opening).await?;
        Ok((connection, channel, consumer))
    }

    /// Runs until the channel ends or intake stops.
    async fn pump(&self, channel: &Channel, mut consumer: Consumer, sender: &mpsc::Sender<Delivery>) {
        let (done, tags) = mpsc::unbounded_channel();
        tokio::spawn(acknowledge(channel.clone(), tags));
        loop {
            tokio::select! {
                delivery = consumer.next() => match delivery {
                    Some(Ok(delivered)) => if let Some(delivery) = self.read(delivered, &done) {
                        // Refused while the process stops: another process's safety net finds the row.
                        drop(sender.send(delivery).await);
                    },
                    Some(Err(error)) => {
                        tracing::warn!(class = self.class.name(), %error, "deliveries ended");
                        return;
                    }
                    None => return,
                },
                () = self.shutdown.soft().cancelled() => {
                    // Unacknowledged messages are requeued when the connection closes.
                    drop(channel.basic_cancel(CONSUMER_TAG.into(), BasicCancelOptions::default()).await);
                    return;
                }
            }
        }
    }

    /// `None`: not one of our messages.
    fn read(
        &self,
        delivered: lapin::message::Delivery,
        done: &mpsc::UnboundedSender<u64>,
    ) -> Option<Delivery> {
        let done = Done { tag: delivered.delivery_tag, tags: done.clone() };
        let reply_to = delivered.properties.reply_to().as_ref().map(|text| text.as_str().to_owned());
        let message = message::decode(&delivered.data, self.class, reply_to);
        if message.is_none() {
            tracing::error!(class = self.class.name(), "dropped a message that is not ours");
        }
        Some(Delivery { message: message?, _done: Some(done) })
    }
}

/// Acknowledges the messages of a channel, all at once up to the first unfinished one.
async fn acknowledge(channel: Channel, mut done: mpsc::UnboundedReceiver<u64>) {
    let (mut first_open, mut later) = (1, BTreeSet::new());
    while let Some(tag) = done.recv().await {
        later.insert(tag);
        // Most claims end many at a time: their tasks run first.
        tokio::task::yield_now().await;
        while let Ok(tag) = done.try_recv() {
            later.insert(tag);
        }
        let acknowledged = first_open;
        while later.remove(&first_open) {
            first_open += 1;
        }
        if first_open > acknowledged {
            let all_before = BasicAckOptions { multiple: true };
            if let Err(error) = channel.basic_ack(first_open - 1, all_before).await {
                tracing::debug!(%error, "acknowledgements lost with their channel");
                return;
            }
        }
    }
}
