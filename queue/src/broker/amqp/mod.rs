//! The doorbell over RabbitMQ: separate connections for publishing (with the replies to this process), answering,
//! and each class consumed. Each is supervised: it reconnects for ever and declares what it needs again.

mod consumer;
mod link;
mod topology;

use std::sync::Arc;

use entities::JobId;
use entities::job::{Class, Ticket};
use futures_util::StreamExt;
use lapin::options::{
    BasicAckOptions, BasicConsumeOptions, BasicPublishOptions, BasicRejectOptions, ConfirmSelectOptions,
    QueueDeclareOptions,
};
use lapin::types::FieldTable;
use lapin::{BasicProperties, Channel, Confirmation};
use runtime::{Shutdown, fail_point};
use tokio::sync::watch;

use super::PublishError;
use crate::Answer;
use crate::message;
use crate::waiters::Waiters;
pub(crate) use consumer::Deliveries;
use link::Link;
use topology::Names;

/// RabbitMQ's pseudo queue: the broker routes answers straight to the channel that published with it.
const DIRECT_REPLY_TO: &str = "amq.rabbitmq.reply-to";

#[derive(Clone)]
pub struct AmqpBroker {
    url: Arc<str>,
    names: Arc<Names>,
    shutdown: Shutdown,
    publisher: Link,
    replier: Link,
}

impl AmqpBroker {
    pub(super) fn start(url: &str, prefix: &str, waiters: Waiters, shutdown: Shutdown) -> Self {
        let names = Arc::new(Names::new(prefix));
        let topology = Arc::clone(&names);
        let publisher = Link::start(url, "publish", &shutdown, move |channel| {
            let (names, waiters) = (Arc::clone(&topology), waiters.clone());
            Box::pin(async move { prepare_publisher(channel, &names, waiters).await })
        });
        let replier = Link::start(url, "reply", &shutdown, |_| Box::pin(async { Ok(()) }));
        Self { url: url.into(), names, shutdown, publisher, replier }
    }

    pub(super) fn is_connected(&self) -> bool {
        self.publisher.channel().is_some()
    }

    pub(super) fn connects(&self) -> watch::Receiver<u64> {
        self.publisher.connects()
    }

    pub(super) async fn publish(&self, ticket: &Ticket, expect_reply: bool) -> Result<(), PublishError> {
        let channel = self.publisher.channel().ok_or(PublishError::NotConnected)?;
        let outcome = self.publish_on(&channel, ticket, expect_reply).await;
        if matches!(outcome, Err(PublishError::Unroutable | PublishError::Broker(_))) {
            // A queue is missing or the channel is broken: connecting anew declares everything again.
            self.publisher.renew();
        }
        outcome
    }

    async fn publish_on(
        &self,
        channel: &Channel,
        ticket: &Ticket,
        expect_reply: bool,
    ) -> Result<(), PublishError> {
        let mut properties = BasicProperties::default()
            .with_delivery_mode(2)
            .with_content_type("application/json".into())
            .with_correlation_id(ticket.job.to_string().into());
        if expect_reply {
            properties = properties.with_reply_to(DIRECT_REPLY_TO.into());
        } else if let Some(reply_to) = &ticket.reply_to {
            properties = properties.with_reply_to(reply_to.as_str().into());
        }
        let options = BasicPublishOptions { mandatory: true, ..BasicPublishOptions::default() };
        let exchange = self.names.exchange.as_str().into();
        let confirming = channel
            .basic_publish(
                exchange,
                ticket.class.name().into(),
                options,
                &message::encode(ticket),
                properties,
            )
            .await
            .map_err(|error| PublishError::Broker(error.to_string()))?;
        fail_point("after_publish", &ticket.kind).await;
        match confirming.await.map_err(|error| PublishError::Broker(error.to_string()))? {
            Confirmation::Ack(None) => Ok(()),
            Confirmation::Ack(Some(_)) => Err(PublishError::Unroutable),
            Confirmation::Nack(_) => Err(PublishError::Full),
            Confirmation::NotRequested => Err(PublishError::Broker("confirms are off".to_owned())),
        }
    }

    pub(super) fn consume(&self, class: Class, slots: u16) -> Deliveries {
        Deliveries::start(&self.url, Arc::clone(&self.names), (class, slots), &self.shutdown)
    }

    pub(super) async fn reply(&self, reply_to: &str, job: JobId, answer: &Answer) {
        let Some(channel) = self.replier.channel() else { return };
        let Ok(body) = serde_json::to_vec(answer) else { return };
        let properties = BasicProperties::default().with_correlation_id(job.to_string().into());
        let sent = channel
            .basic_publish("".into(), reply_to.into(), BasicPublishOptions::default(), &body, properties)
            .await;
        if let Err(error) = sent {
            tracing::debug!(job.id = %job, %error, "answer not sent: the caller will read the row");
            self.replier.renew();
        }
    }

    /// Asked on a channel of its own: a missing queue closes the channel it is asked on.
    pub(super) async fn depth(&self, class: Class) -> Option<u64> {
        let channel = self.publisher.new_channel().await?;
        let options = QueueDeclareOptions { passive: true, ..QueueDeclareOptions::default() };
        let queue = channel
            .queue_declare(self.names.queue(class).into(), options, FieldTable::default())
            .await
            .ok()?;
        drop(channel.close(200, "asked".into()).await);
        Some(u64::from(queue.message_count()))
    }
}

async fn prepare_publisher(channel: Channel, names: &Names, waiters: Waiters) -> lapin::Result<()> {
    topology::declare(&channel, names).await?;
    let options = BasicConsumeOptions { no_ack: true, ..BasicConsumeOptions::default() };
    let mut replies =
        channel.basic_consume(DIRECT_REPLY_TO.into(), "".into(), options, FieldTable::default()).await?;
    channel.confirm_select(ConfirmSelectOptions::default()).await?;
    tokio::spawn(async move {
        while let Some(Ok(reply)) = replies.next().await {
            let job = reply.properties.correlation_id().as_ref().and_then(|id| id.as_str().parse().ok());
            if let (Some(job), Ok(answer)) = (job, serde_json::from_slice(&reply.data)) {
                waiters.resolve(job, answer);
            }
        }
    });
    Ok(())
}

/// A failed acknowledgement means a lost channel: the message comes again, and the row refuses a second run.
pub(super) async fn ack(acker: &lapin::Acker) {
    if let Err(error) = acker.ack(BasicAckOptions::default()).await {
        tracing::debug!(%error, "acknowledgement lost with its channel");
    }
}

/// By `basic.reject`: the form of requeueing that all supported broker versions count alike.
pub(super) async fn requeue(acker: &lapin::Acker) {
    if let Err(error) = acker.reject(BasicRejectOptions { requeue: true }).await {
        tracing::debug!(%error, "requeueing left to the broker: the channel is lost");
    }
}
