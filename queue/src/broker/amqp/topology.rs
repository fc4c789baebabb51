//! Names and properties of exchanges and queues. Declaring is idempotent; a changed property needs a new version suffix.

use std::sync::Arc;

use entities::job::Class;
use futures_util::future::BoxFuture;
use lapin::options::{ExchangeDeclareOptions, QueueBindOptions, QueueDeclareOptions};
use lapin::protocol::{AMQPErrorKind, AMQPSoftError};
use lapin::types::{AMQPValue, FieldTable, LongString, ShortString};
use lapin::{Channel, Connection, ErrorKind, ExchangeKind};

/// Redeliveries after which the broker sets a message aside. The row goes on: its lease ends, the relay rings anew.
const DELIVERY_LIMIT: i64 = 20;
/// Messages a queue holds before it refuses more; refused jobs stay in the outbox. About 50 MB.
const MAX_LENGTH: i64 = 200_000;
/// Messages set aside that are kept for a look.
const DEAD_MAX_LENGTH: i64 = 10_000;

/// Called for a class whose messages are lost, before its queue is made: its jobs are to be published again.
pub(crate) type Forget = Arc<dyn Fn(Class) -> BoxFuture<'static, Result<(), String>> + Send + Sync>;

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

/// Makes what is missing and leaves alone what is there. Before the queue of a class is made, `forget` is told that
/// whatever was published to it is lost: so a wiped broker never has an empty queue that the rows know nothing of.
pub(super) async fn prepare(connection: &Connection, names: &Names, forget: &Forget) -> Result<(), String> {
    let channel = connection.create_channel().await.map_err(text_of)?;
    for (exchange, kind) in [(&names.exchange, ExchangeKind::Direct), (&names.dead, ExchangeKind::Fanout)] {
        let options = ExchangeDeclareOptions { durable: true, ..ExchangeDeclareOptions::default() };
        let declared =
            channel.exchange_declare(exchange.as_str().into(), kind, options, FieldTable::default());
        declared.await.map_err(text_of)?;
    }
    if look(connection, &names.dead, &dead_arguments()).await? == Found::Nothing {
        make(&channel, &names.dead, dead_arguments()).await?;
    }
    bind(&channel, &names.dead, &names.dead, "").await.map_err(text_of)?;
    for class in Class::ALL {
        let queue = names.queue(class);
        match look(connection, &queue, &arguments(&names.dead)).await? {
            // Made by somebody else: whatever was in ours is not in it.
            Found::Other { messages: 0 } => forget(class).await?,
            Found::Ours | Found::Other { .. } => {}
            Found::Nothing => {
                forget(class).await?;
                make(&channel, &queue, arguments(&names.dead)).await?;
            }
        }
        bind(&channel, &queue, &names.exchange, class.name()).await.map_err(text_of)?;
    }
    channel.close(200, "prepared".into()).await.map_err(text_of)
}

#[derive(Debug, PartialEq, Eq)]
enum Found {
    Nothing,
    Ours,
    /// A queue of this name with other properties. It is used as it is: jobs go on, and its messages are not ours to
    /// throw away.
    Other {
        messages: u32,
    },
}

/// Asked on channels of its own: a refusal closes the channel.
async fn look(connection: &Connection, queue: &str, wanted: &FieldTable) -> Result<Found, String> {
    let passive = QueueDeclareOptions { passive: true, ..QueueDeclareOptions::default() };
    let channel = connection.create_channel().await.map_err(text_of)?;
    let messages = match channel.queue_declare(queue.into(), passive, FieldTable::default()).await {
        Err(error) if is(&error, AMQPSoftError::NOTFOUND) => return Ok(Found::Nothing),
        asked => asked.map_err(text_of)?.message_count(),
    };
    match channel.queue_declare(queue.into(), QueueDeclareOptions::durable(), wanted.clone()).await {
        Err(error) if is(&error, AMQPSoftError::PRECONDITIONFAILED) => {
            tracing::warn!(queue, %error, "the queue was made with other properties: delete it, and it is made anew");
            return Ok(Found::Other { messages });
        }
        declared => declared.map_err(text_of)?,
    };
    channel.close(200, "asked".into()).await.map_err(text_of)?;
    Ok(Found::Ours)
}

pub(super) fn is(error: &lapin::Error, wanted: AMQPSoftError) -> bool {
    matches!(error.kind(), ErrorKind::ProtocolError(error) if *error.kind() == AMQPErrorKind::Soft(wanted.clone()))
}

async fn make(channel: &Channel, queue: &str, arguments: FieldTable) -> Result<(), String> {
    let durable = QueueDeclareOptions::durable();
    channel.queue_declare(queue.into(), durable, arguments).await.map(drop).map_err(text_of)
}

#[expect(clippy::needless_pass_by_value, reason = "the shape that map_err wants")]
fn text_of(error: lapin::Error) -> String {
    error.to_string()
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
