//! RabbitMQ: separate connections for publishing (with the replies to this process), answering, and each class
//! consumed. Each is supervised: it reconnects without end and declares what it needs again.
//!
//! # What an operator sees
//! | broker state | effect | recovery |
//! | --- | --- | --- |
//! | stopped, killed, unreachable | readiness `broker: down`; jobs go on, claimed by the safety net within a second | connected within a second of its return |
//! | data wiped, a queue deleted | as above for the lost messages | the queue is declared anew |
//! | a queue declared with other properties | a warning at each connect | it is used as it is; once deleted, it is declared correctly |
//! | alarm (memory, disk) | `broker: down`: publishing stops, queued messages are consumed | at once |
//! | connections closed, channel error, exchange deleted | one line in the log | connected and declared anew within a second |
//! | silent (half-open) | `broker: down` within six seconds | connected within four seconds |

mod consumer;
mod dial;
mod supervised;
mod topology;

use std::sync::Arc;
use std::time::Duration;

use entities::JobId;
use entities::job::{Class, JobMessage};
use futures_util::StreamExt;
use lapin::options::{BasicConsumeOptions, BasicPublishOptions, ConfirmSelectOptions};
use lapin::types::FieldTable;
use lapin::{BasicProperties, Channel, Confirmation};
use runtime::{Shutdown, StartError, fail_point};
use tokio::sync::watch;

use super::publish_error::PublishError;
use crate::Answer;
use crate::message;
use crate::reply::Waiters;
pub(crate) use consumer::Deliveries;
use consumer::Feed;
use supervised::SupervisedConnection;
use topology::Names;

/// RabbitMQ's pseudo queue: the broker routes replies straight to the channel that published with it.
const DIRECT_REPLY_TO: &str = "amq.rabbitmq.reply-to";
/// Longest wait of a run for its answer to be sent.
const REPLY_TIMEOUT: Duration = Duration::from_secs(1);

#[derive(Clone)]
pub struct AmqpBroker {
    url: Arc<str>,
    names: Arc<Names>,
    shutdown: Shutdown,
    publisher: SupervisedConnection,
    replier: SupervisedConnection,
}

impl AmqpBroker {
    pub(super) async fn check(url: &str) -> Result<(), StartError> {
        dial::check(url).await
    }

    pub(super) fn start(url: &str, prefix: &str, waiters: Waiters, shutdown: Shutdown) -> Self {
        let names = Arc::new(Names::new(prefix));
        let topology = Arc::clone(&names);
        let publisher = SupervisedConnection::start(url, "publish", &shutdown, move |connection, channel| {
            let (names, waiters) = (Arc::clone(&topology), waiters.clone());
            Box::pin(async move {
                topology::prepare(&connection, &names).await?;
                take_replies(channel, waiters).await.map_err(|error| error.to_string())
            })
        });
        let replier = SupervisedConnection::start(url, "reply", &shutdown, |_, _| Box::pin(async { Ok(()) }));
        Self { url: url.into(), names, shutdown, publisher, replier }
    }

    pub(super) fn is_connected(&self) -> bool {
        self.publisher.live().is_some()
    }

    pub(super) fn connects(&self) -> watch::Receiver<u64> {
        self.publisher.connects()
    }

    pub(super) async fn publish(&self, message: &JobMessage, expect_reply: bool) -> Result<(), PublishError> {
        let live = self.publisher.live().ok_or(PublishError::NotConnected)?;
        let outcome = self.publish_on(&live.channel, message, expect_reply).await;
        if matches!(outcome, Err(PublishError::Unroutable | PublishError::Broker(_))) {
            // A queue is missing or the channel is broken: connecting anew declares everything again.
            live.renew();
        }
        outcome
    }

    async fn publish_on(
        &self,
        channel: &Channel,
        message: &JobMessage,
        expect_reply: bool,
    ) -> Result<(), PublishError> {
        let mut properties = BasicProperties::default()
            .with_delivery_mode(2)
            .with_content_type("application/json".into())
            .with_correlation_id(message.job.to_string().into());
        if expect_reply {
            properties = properties.with_reply_to(DIRECT_REPLY_TO.into());
        } else if let Some(reply_to) = &message.reply_to {
            properties = properties.with_reply_to(reply_to.as_str().into());
        }
        let options = BasicPublishOptions { mandatory: true, ..BasicPublishOptions::default() };
        let exchange = self.names.exchange.as_str().into();
        let confirming = channel
            .basic_publish(
                exchange,
                message.class.name().into(),
                options,
                &message::encode(message),
                properties,
            )
            .await
            .map_err(|error| PublishError::Broker(error.to_string()))?;
        fail_point("after_publish", &message.kind).await;
        match confirming.await.map_err(|error| PublishError::Broker(error.to_string()))? {
            Confirmation::Ack(None) => Ok(()),
            Confirmation::Ack(Some(_)) => Err(PublishError::Unroutable),
            Confirmation::Nack(_) => Err(PublishError::Full),
            Confirmation::NotRequested => Err(PublishError::Broker("confirms are off".to_owned())),
        }
    }

    pub(super) fn consume(&self, class: Class, slots: u16) -> Deliveries {
        let (url, names) = (Arc::clone(&self.url), Arc::clone(&self.names));
        let (publisher, shutdown) = (self.publisher.clone(), self.shutdown.clone());
        Feed { url, names, publisher, class, slots, shutdown }.start()
    }

    pub(super) async fn reply(&self, reply_to: &str, job: JobId, answer: &Answer) {
        let Some(live) = self.replier.live() else { return };
        let Ok(body) = serde_json::to_vec(answer) else { return };
        let properties = BasicProperties::default().with_correlation_id(job.to_string().into());
        let options = BasicPublishOptions::default();
        let sending = live.channel.basic_publish("".into(), reply_to.into(), options, &body, properties);
        // A blocked connection does not write: without a timeout the run would keep its slot until it unblocks.
        match tokio::time::timeout(REPLY_TIMEOUT, sending).await {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => {
                tracing::debug!(%error, "answer not sent: the caller will read the row");
                live.renew();
            }
            Err(_) => tracing::debug!("answer not sent in time: the caller will read the row"),
        }
    }
}

async fn take_replies(channel: Channel, waiters: Waiters) -> lapin::Result<()> {
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
