//! Carries jobs to workers: in-process channels when embedded, RabbitMQ when distributed, behind one interface.

mod amqp;
mod delivery;
mod in_process;
mod publish_error;

use std::time::Duration;

use entities::JobId;
use entities::job::{Class, JobMessage};
use runtime::{Shutdown, StartError, fail_point};
use tokio::sync::watch;

use crate::Answer;
use crate::reply::Waiters;
use amqp::AmqpBroker;
pub(crate) use delivery::Delivery;
use in_process::InProcessBroker;
pub use publish_error::PublishError;

/// Longest wait for a publish to be confirmed.
const PUBLISH_TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Clone)]
pub enum Broker {
    InProcess(InProcessBroker),
    Amqp(AmqpBroker),
}

impl Broker {
    pub(crate) fn in_process(waiters: Waiters) -> Self {
        Self::InProcess(InProcessBroker::new(waiters))
    }

    pub(crate) fn amqp(url: &str, prefix: &str, waiters: Waiters, shutdown: Shutdown) -> Self {
        Self::Amqp(AmqpBroker::start(url, prefix, waiters, shutdown))
    }

    /// An error unless RabbitMQ can be reached and accepts this URL.
    pub async fn check(url: &str) -> Result<(), StartError> {
        AmqpBroker::check(url).await
    }

    /// Puts the message into its class's queue and waits for the confirmation.
    pub(crate) async fn publish(&self, message: &JobMessage, expect_reply: bool) -> Result<(), PublishError> {
        match self {
            Self::InProcess(broker) => {
                broker.publish(message.clone(), expect_reply);
                fail_point("after_publish", &message.kind).await;
                Ok(())
            }
            Self::Amqp(broker) => {
                tokio::time::timeout(PUBLISH_TIMEOUT, broker.publish(message, expect_reply))
                    .await
                    .unwrap_or(Err(PublishError::TimedOut))
            }
        }
    }

    /// Deliveries of a class, at most `slots` of them unsettled at a time. Reconnects by itself.
    pub(crate) fn consume(&self, class: Class, slots: u16) -> Deliveries {
        match self {
            Self::InProcess(broker) => Deliveries::InProcess(broker.consume(class)),
            Self::Amqp(broker) => Deliveries::Amqp(broker.consume(class, slots)),
        }
    }

    /// Sends an answer to the caller that waits at `reply_to`. Best effort: the row holds the same answer.
    pub(crate) async fn reply(&self, reply_to: &str, job: JobId, answer: Answer) {
        match self {
            Self::InProcess(broker) => broker.reply(job, answer),
            Self::Amqp(broker) => broker.reply(reply_to, job, &answer).await,
        }
    }

    /// Whether messages can be published at the moment.
    pub fn is_connected(&self) -> bool {
        match self {
            Self::InProcess(_) => true,
            Self::Amqp(broker) => broker.is_connected(),
        }
    }

    /// Counts connects, so that a caller can wait for a reconnect.
    pub fn connects(&self) -> watch::Receiver<u64> {
        match self {
            Self::InProcess(broker) => broker.connects(),
            Self::Amqp(broker) => broker.connects(),
        }
    }
}

/// A stream of deliveries that ends with the process.
pub(crate) enum Deliveries {
    InProcess(in_process::Deliveries),
    Amqp(amqp::Deliveries),
}

impl Deliveries {
    /// Waits for messages and returns between one and `most` of them; empty when the process ends.
    pub(crate) async fn next(&mut self, most: usize) -> Vec<Delivery> {
        match self {
            Self::InProcess(deliveries) => deliveries.next(most).await,
            Self::Amqp(deliveries) => deliveries.next(most).await,
        }
    }
}
