//! Jobs a second through the whole path, with producers and workers at once.

use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use entities::job::{Class, listing};

use crate::fixture::{Fixture, draft};
use testkit::Mode;

/// Counting reads the whole table: a shorter interval would distort the measurement.
const POLL_EVERY: Duration = Duration::from_millis(250);

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Measure SQLite and queues in memory instead of Postgres and RabbitMQ
    #[arg(long)]
    embedded: bool,
    /// Number of jobs
    #[arg(long, default_value_t = 50_000)]
    jobs: usize,
    /// Number of workers, each with its own connections; one if embedded
    #[arg(long, default_value_t = 4)]
    workers: usize,
    /// Number of tasks that insert jobs
    #[arg(long, default_value = "8")]
    producers: NonZeroUsize,
    /// Jobs that a producer commits in one transaction
    #[arg(long, default_value = "50")]
    batch: NonZeroUsize,
    /// Number of guilds that the jobs are spread over; only a share of one guild's jobs is in flight
    #[arg(long, default_value_t = 50_000, value_parser = clap::value_parser!(i64).range(1..))]
    guilds: i64,
}

pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let fixture = Fixture::start(Mode::embedded_if(arguments.embedded), arguments.guilds).await?;
    fixture.work(if arguments.embedded { 1 } else { arguments.workers }).await?;
    let started = Instant::now();
    let count = arguments.producers.get();
    let share = arguments.jobs / count;
    let mut producers = Vec::new();
    for number in 0..count {
        let producer = Producer {
            context: fixture.context.clone(),
            queue: fixture.queue.clone(),
            first_guild: i64::try_from(number * share)?,
            batch: arguments.batch.get(),
            guilds: arguments.guilds,
        };
        producers.push(tokio::spawn(producer.run(share)));
    }
    for producer in producers {
        producer.await??;
    }
    let enqueued = started.elapsed();
    let done = wait_until_drained(&fixture, (share * count) as u64).await?;
    let total = started.elapsed();
    println!("{done} jobs, enqueued in {enqueued:.2?}, all finished in {total:.2?}");
    #[expect(clippy::cast_precision_loss, reason = "a printed rate")]
    let rate = done as f64 / total.as_secs_f64();
    println!("{rate:.0} jobs/s through the whole path");
    Ok(())
}

struct Producer {
    context: runtime::Context,
    queue: queue::Queue,
    first_guild: i64,
    batch: usize,
    guilds: i64,
}

impl Producer {
    async fn run(self, jobs: usize) -> anyhow::Result<()> {
        let (mut left, mut numbers) = (jobs, self.first_guild..);
        while left > 0 {
            let size = self.batch.min(left);
            let transaction = self.context.database.begin().await?;
            let drafts = numbers.by_ref().take(size).map(|number| draft(number % self.guilds));
            let drafts = drafts.collect::<Result<Vec<_>, _>>()?;
            let tickets = queue::enqueue_many(&transaction, drafts, self.context.clock.now()).await?;
            transaction.commit().await?;
            self.queue.publish(tickets);
            left -= size;
        }
        Ok(())
    }
}

async fn wait_until_drained(fixture: &Fixture, jobs: u64) -> anyhow::Result<u64> {
    let conn = fixture.context.database.read();
    loop {
        let done = listing::count_succeeded(conn, "noop").await?;
        if done >= jobs {
            let backlog = listing::backlog(conn, Class::Default, fixture.context.clock.now()).await?;
            anyhow::ensure!((backlog.available, backlog.held) == (0, 0), "jobs are left over");
            return Ok(done);
        }
        tokio::time::sleep(POLL_EVERY).await;
    }
}
