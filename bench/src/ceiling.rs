//! The broker alone: persistent messages published with confirm to a quorum queue and consumed with ack.

use std::time::Instant;

use bench::figures::float;
use futures_util::StreamExt;
use lapin::options::{
    BasicAckOptions, BasicConsumeOptions, BasicPublishOptions, BasicQosOptions, ConfirmSelectOptions,
    QueueDeclareOptions, QueueDeleteOptions,
};
use lapin::types::{AMQPValue, FieldTable};
use lapin::{BasicProperties, Channel, Connection, ConnectionProperties};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Number of messages
    #[arg(long, default_value_t = 50_000)]
    messages: usize,
    /// Publishes without a confirm at a time
    #[arg(long, default_value_t = 512)]
    window: usize,
}

pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let url = testkit::Servers::from_env().amqp;
    let name = format!("bench.{}", uuid::Uuid::now_v7().simple());
    let publisher = Connection::connect(&url, ConnectionProperties::default()).await?;
    let consumer = Connection::connect(&url, ConnectionProperties::default()).await?;
    let (publish, consume) = (publisher.create_channel().await?, consumer.create_channel().await?);
    let mut table = FieldTable::default();
    table.insert("x-queue-type".into(), AMQPValue::LongString("quorum".into()));
    consume.queue_declare(name.as_str().into(), QueueDeclareOptions::durable(), table).await?;
    publish.confirm_select(ConfirmSelectOptions::default()).await?;
    let started = Instant::now();
    let (published, consumed) = tokio::join!(
        publish_all(&publish, &name, arguments),
        consume_all(&consume, &name, arguments.messages)
    );
    published?;
    consumed?;
    let elapsed = started.elapsed();
    consume.queue_delete(name.as_str().into(), QueueDeleteOptions::default()).await?;
    let rate = float(arguments.messages) / elapsed.as_secs_f64();
    println!("{} messages in {elapsed:.2?}: {rate:.0}/s", arguments.messages);
    Ok(())
}

async fn publish_all(channel: &Channel, queue: &str, arguments: &Arguments) -> anyhow::Result<()> {
    let body = [b'x'; 120];
    futures_util::stream::iter(0..arguments.messages)
        .map(|_| async {
            let properties = BasicProperties::default().with_delivery_mode(2);
            let options = BasicPublishOptions { mandatory: true, ..BasicPublishOptions::default() };
            let confirm = channel.basic_publish("".into(), queue.into(), options, &body, properties).await?;
            anyhow::ensure!(confirm.await?.is_ack(), "not confirmed");
            Ok(())
        })
        .buffer_unordered(arguments.window)
        .fold(Ok(()), |sum: anyhow::Result<()>, one| std::future::ready(sum.and(one)))
        .await
}

async fn consume_all(channel: &Channel, queue: &str, messages: usize) -> anyhow::Result<()> {
    channel.basic_qos(256, BasicQosOptions::default()).await?;
    let options = BasicConsumeOptions::default();
    let mut deliveries =
        channel.basic_consume(queue.into(), "bench".into(), options, FieldTable::default()).await?;
    for _ in 0..messages {
        let Some(delivery) = deliveries.next().await else { anyhow::bail!("deliveries ended") };
        delivery?.ack(BasicAckOptions::default()).await?;
    }
    Ok(())
}
