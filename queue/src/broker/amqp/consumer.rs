//! Deliveries of one class over a supervised connection of their own.

use std::sync::Arc;
use std::time::Duration;

use entities::job::Class;
use futures_util::StreamExt;
use lapin::options::{BasicCancelOptions, BasicConsumeOptions, BasicQosOptions};
use lapin::protocol::AMQPSoftError;
use lapin::types::FieldTable;
use lapin::{Channel, Connection, Consumer};
use runtime::Shutdown;
use tokio::sync::mpsc;

use super::super::Delivery;
use super::link::Link;
use super::topology::{self, Names};
use super::{dial, link};
use crate::message;

const PAUSE: Duration = Duration::from_millis(500);
const TAG: &str = "guildhall";

pub(crate) struct Deliveries {
    receiver: mpsc::Receiver<Delivery>,
}

impl Deliveries {
    /// `slots` bounds what is delivered and not acknowledged yet (prefetch).
    pub(super) fn start(
        url: &str,
        (names, publisher): (Arc<Names>, Link),
        (class, slots): (Class, u16),
        shutdown: &Shutdown,
    ) -> Self {
        let (sender, receiver) = mpsc::channel(1);
        let (url, shutdown) = (url.to_owned(), shutdown.clone());
        let feed = Feed { url, names, publisher, class, slots, sender, shutdown };
        let (stop, services) = (feed.shutdown.hard().clone(), feed.shutdown.services().clone());
        services.spawn(async move { stop.run_until_cancelled(feed.run()).await });
        Self { receiver }
    }

    pub(in crate::broker) async fn next(&mut self) -> Option<Delivery> {
        self.receiver.recv().await
    }
}

struct Feed {
    url: String,
    names: Arc<Names>,
    /// Makes the queues that are missing, each time it connects.
    publisher: Link,
    class: Class,
    slots: u16,
    sender: mpsc::Sender<Delivery>,
    shutdown: Shutdown,
}

impl Feed {
    async fn run(self) {
        // Its sender lives as long as the process.
        drop(self.publisher.connects().wait_for(|count| *count > 0).await);
        while !self.shutdown.soft().is_cancelled() {
            match self.open().await {
                Ok((connection, channel, consumer)) => {
                    tracing::info!(class = self.class.name(), slots = self.slots, "taking jobs");
                    tokio::select! {
                        () = self.pump(&channel, consumer) => {}
                        reason = link::trouble(&connection, &channel) => {
                            tracing::warn!(class = self.class.name(), reason, "deliveries ended, connecting anew");
                        }
                    }
                    if self.shutdown.soft().is_cancelled() {
                        // What was delivered is still being acknowledged over this channel.
                        self.shutdown.hard().cancelled().await;
                    }
                    tokio::spawn(async move { link::close(&connection).await });
                }
                Err(error) => {
                    tracing::warn!(class = self.class.name(), error, "cannot take jobs, trying again");
                }
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    async fn open(&self) -> Result<(Connection, Channel, Consumer), String> {
        let connection = dial::connect(&self.url, self.class.name()).await?;
        let opening = async {
            let channel = connection.create_channel().await?;
            channel.basic_qos(self.slots, BasicQosOptions::default()).await?;
            let queue = self.names.queue(self.class);
            let options = BasicConsumeOptions::default();
            let consuming = channel.basic_consume(queue.into(), TAG.into(), options, FieldTable::default());
            let consumer = consuming.await.inspect_err(|error| {
                if topology::is(error, AMQPSoftError::NOTFOUND) {
                    // Somebody deleted it: whoever connects to publish makes it anew.
                    self.publisher.renew();
                }
            })?;
            Ok::<_, lapin::Error>((channel, consumer))
        };
        let (channel, consumer) = link::set_up(opening).await?;
        Ok((connection, channel, consumer))
    }

    /// Until the channel ends or no new work is wanted.
    async fn pump(&self, channel: &Channel, mut consumer: Consumer) {
        loop {
            tokio::select! {
                delivery = consumer.next() => match delivery {
                    Some(Ok(delivery)) => self.hand_over(delivery).await,
                    Some(Err(error)) => {
                        tracing::warn!(class = self.class.name(), %error, "deliveries ended");
                        return;
                    }
                    None => return,
                },
                () = self.shutdown.soft().cancelled() => {
                    // What is not acknowledged goes back when the connection closes.
                    drop(channel.basic_cancel(TAG.into(), BasicCancelOptions::default()).await);
                    return;
                }
            }
        }
    }

    async fn hand_over(&self, delivery: lapin::message::Delivery) {
        let reply_to = delivery.properties.reply_to().as_ref().map(|text| text.as_str().to_owned());
        let Some(ticket) = message::decode(&delivery.data, self.class, reply_to) else {
            tracing::error!(class = self.class.name(), "a message in the queue is not ours: dropped");
            super::ack(&delivery.acker).await;
            return;
        };
        // Refused where the process takes no more: it goes back when the connection closes.
        drop(self.sender.send(Delivery { ticket, acker: Some(delivery.acker) }).await);
    }
}
