//! Names and properties of exchanges and queues. Declaring is idempotent; a changed property needs a new version
//! suffix.

use entities::job::Class;
use lapin::options::{ExchangeDeclareOptions, QueueBindOptions, QueueDeclareOptions};
use lapin::protocol::{AMQPErrorKind, AMQPSoftError};
use lapin::types::{AMQPValue, FieldTable, LongString, ShortString};
use lapin::{Channel, Connection, ErrorKind, ExchangeKind};

/// Redeliveries after which the broker dead-letters a message. The safety net finds the row.
const DELIVERY_LIMIT: i64 = 20;
/// Messages a queue holds before it refuses more; the safety net finds refused jobs. About 50 MB.
const MAX_LENGTH: i64 = 200_000;
/// Dead-lettered messages kept for inspection.
const DEAD_MAX_LENGTH: i64 = 10_000;

pub(super) struct Names {
    prefix: String,
    pub(super) exchange: String,
    dead: String,
}

impl Names {
    pub(super) fn new(prefix: &str) -> Self {
        Self {
            prefix: prefix.to_owned(),
            exchange: format!("{prefix}.jobs.v2"),
            dead: format!("{prefix}.dead.v2"),
        }
    }

    pub(super) fn queue(&self, class: Class) -> String {
        format!("{}.jobs.{}.v2", self.prefix, class.name())
    }
}

/// Declares missing exchanges and queues; existing ones stay.
pub(super) async fn prepare(connection: &Connection, names: &Names) -> Result<(), String> {
    let channel = connection.create_channel().await.map_err(text_of)?;
    for (exchange, kind) in [(&names.exchange, ExchangeKind::Direct), (&names.dead, ExchangeKind::Fanout)] {
        let options = ExchangeDeclareOptions { durable: true, ..ExchangeDeclareOptions::default() };
        let declared =
            channel.exchange_declare(exchange.as_str().into(), kind, options, FieldTable::default());
        declared.await.map_err(text_of)?;
    }
    declare(connection, &names.dead, dead_arguments()).await?;
    bind(&channel, &names.dead, &names.dead, "").await.map_err(text_of)?;
    for &class in Class::ALL {
        let queue = names.queue(class);
        declare(connection, &queue, arguments(&names.dead)).await?;
        bind(&channel, &queue, &names.exchange, class.name()).await.map_err(text_of)?;
    }
    channel.close(200, "prepared".into()).await.map_err(text_of)
}

/// Uses its own channel, because a refusal closes it. A queue of this name with other properties is used as it is, so
/// that its messages are not lost.
async fn declare(connection: &Connection, queue: &str, arguments: FieldTable) -> Result<(), String> {
    let channel = connection.create_channel().await.map_err(text_of)?;
    match channel.queue_declare(queue.into(), QueueDeclareOptions::durable(), arguments).await {
        Err(error) if is(&error, AMQPSoftError::PRECONDITIONFAILED) => {
            tracing::warn!(queue, %error, "the queue was declared with other properties: delete it, and it is declared anew");
            Ok(())
        }
        Err(error) => Err(text_of(error)),
        Ok(_) => channel.close(200, "declared".into()).await.map_err(text_of),
    }
}

pub(super) fn is(error: &lapin::Error, wanted: AMQPSoftError) -> bool {
    matches!(error.kind(), ErrorKind::ProtocolError(error) if *error.kind() == AMQPErrorKind::Soft(wanted.clone()))
}

#[expect(clippy::needless_pass_by_value, reason = "the shape that map_err wants")]
fn text_of(error: lapin::Error) -> String {
    error.to_string()
}

async fn bind(channel: &Channel, queue: &str, exchange: &str, key: &str) -> lapin::Result<()> {
    let options = QueueBindOptions::default();
    channel.queue_bind(queue.into(), exchange.into(), key.into(), options, FieldTable::default()).await
}

/// Only arguments that RabbitMQ 3.10 and 4.x treat alike.
fn arguments(dead_exchange: &str) -> FieldTable {
    table([
        ("x-queue-type", text("quorum")),
        ("x-delivery-limit", AMQPValue::LongLongInt(DELIVERY_LIMIT)),
        ("x-dead-letter-exchange", text(dead_exchange)),
        ("x-dead-letter-strategy", text("at-least-once")),
        ("x-overflow", text("reject-publish")),
        ("x-max-length", AMQPValue::LongLongInt(MAX_LENGTH)),
    ])
}

fn dead_arguments() -> FieldTable {
    table([("x-queue-type", text("quorum")), ("x-max-length", AMQPValue::LongLongInt(DEAD_MAX_LENGTH))])
}

fn text(value: &str) -> AMQPValue {
    AMQPValue::LongString(LongString::from(value))
}

fn table<const N: usize>(entries: [(&str, AMQPValue); N]) -> FieldTable {
    let mut table = FieldTable::default();
    for (key, value) in entries {
        table.insert(ShortString::from(key), value);
    }
    table
}
