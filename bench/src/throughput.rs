//! Jobs a second through the whole path, with producers and workers at once.

use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use entities::job::{Class, listing};

use crate::fixture::{Fixture, Mode, draft};

/// Counting reads the whole table: a shorter interval would distort the measurement.
const LOOK_EVERY: Duration = Duration::from_millis(250);

#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[arg(long, value_enum, default_value = "distributed")]
    mode: Mode,
    #[arg(long, default_value_t = 50_000)]
    jobs: usize,
    /// Worker processes' worth of consumers, each with connections of its own
    #[arg(long, default_value_t = 4)]
    workers: usize,
    #[arg(long, default_value = "8")]
    producers: NonZeroUsize,
    /// Jobs a producer commits in one transaction
    #[arg(long, default_value = "50")]
    batch: NonZeroUsize,
    /// Guilds that the jobs are spread over: of one only its share is in flight
    #[arg(long, default_value_t = 50_000, value_parser = clap::value_parser!(i64).range(1..))]
    guilds: i64,
}

pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let fixture = Fixture::start(arguments.mode, arguments.guilds).await?;
    fixture.work(if arguments.mode == Mode::Embedded { 1 } else { arguments.workers }).await?;
    let started = Instant::now();
    let count = arguments.producers.get();
    let share = arguments.jobs / count;
    let mut producers = Vec::new();
    for producer in 0..count {
        let first = i64::try_from(producer * share)?;
        let (queue, context) = (fixture.queue.clone(), fixture.context.clone());
        let (batch, guilds) = (arguments.batch.get(), arguments.guilds);
        producers.push(tokio::spawn(async move {
            produce(&context, &queue, (first, share, batch, guilds)).await
        }));
    }
    for producer in producers {
        producer.await??;
    }
    let enqueued = started.elapsed();
    let done = wait_until_drained(&fixture, (share * count) as u64).await?;
    let total = started.elapsed();
    println!(
        "mode {:?}, {} jobs, enqueued in {enqueued:.2?}, all finished in {total:.2?}",
        arguments.mode, done
    );
    #[expect(clippy::cast_precision_loss, reason = "a printed rate")]
    let rate = done as f64 / total.as_secs_f64();
    println!("{rate:.0} jobs/s through the whole path");
    Ok(())
}

async fn produce(
    context: &runtime::Context,
    queue: &queue::Queue,
    (first, share, batch, guilds): (i64, usize, usize, i64),
) -> anyhow::Result<()> {
    let (mut left, mut numbers) = (share, first..);
    while left > 0 {
        let size = batch.min(left);
        let transaction = context.database.begin().await?;
        let drafts =
            (0..size).map(|_| draft(numbers.next().unwrap_or(0) % guilds)).collect::<Result<Vec<_>, _>>()?;
        let tickets = queue::enqueue_many(&transaction, drafts, context.clock.now()).await?;
        transaction.commit().await?;
        queue.publish(tickets);
        left -= size;
    }
    Ok(())
}

async fn wait_until_drained(fixture: &Fixture, jobs: u64) -> anyhow::Result<u64> {
    loop {
        let done = listing::count_succeeded(fixture.context.database.read(), "noop").await?;
        if done >= jobs {
            let now = fixture.context.clock.now();
            let backlog = listing::backlog(fixture.context.database.read(), Class::Default, now).await?;
            anyhow::ensure!((backlog.available, backlog.held) == (0, 0), "jobs are left over");
            return Ok(done);
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}
