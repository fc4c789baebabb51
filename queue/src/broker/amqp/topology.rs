//! Names and properties of exchanges and queues. Declaring is idempotent; a changed property needs a new version suffix.

use entities::job::Class;
use lapin::options::{ExchangeDeclareOptions, QueueBindOptions, QueueDeclareOptions};
use lapin::types::{AMQPValue, FieldTable, LongString, ShortString};
use lapin::{Channel, ExchangeKind};

/// Redeliveries after which the broker sets a message aside. The row goes on: its lease ends, the relay rings anew.
const DELIVERY_LIMIT: i64 = 20;
/// Messages a queue holds before it refuses more; refused jobs stay in the outbox. About 50 MB.
const MAX_LENGTH: i64 = 200_000;
/// Messages set aside that are kept for a look.
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
            exchange: format!("{prefix}.jobs.v1"),
            dead: format!("{prefix}.dead.v1"),
        }
    }

    pub(super) fn queue(&self, class: Class) -> String {
        format!("{}.jobs.{}.v1", self.prefix, class.name())
    }
}

pub(super) async fn declare(channel: &Channel, names: &Names) -> lapin::Result<()> {
    for (exchange, kind) in [(&names.exchange, ExchangeKind::Direct), (&names.dead, ExchangeKind::Fanout)] {
        let options = ExchangeDeclareOptions { durable: true, ..ExchangeDeclareOptions::default() };
        channel.exchange_declare(exchange.as_str().into(), kind, options, FieldTable::default()).await?;
    }
    let durable = QueueDeclareOptions::durable();
    channel.queue_declare(names.dead.as_str().into(), durable, dead_arguments()).await?;
    bind(channel, &names.dead, &names.dead, "").await?;
    for class in Class::ALL {
        let queue = names.queue(class);
        channel.queue_declare(queue.as_str().into(), durable, arguments(&names.dead)).await?;
        bind(channel, &queue, &names.exchange, class.name()).await?;
    }
    Ok(())
}

async fn bind(channel: &Channel, queue: &str, exchange: &str, key: &str) -> lapin::Result<()> {
    let options = QueueBindOptions::default();
    channel.queue_bind(queue.into(), exchange.into(), key.into(), options, FieldTable::default()).await
}

/// Only what RabbitMQ 3.10 and 4.x do alike.
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
