//! No-op jobs a second through the whole path, with producers and workers at once, on a database and queues of its own.

use std::time::{Duration, Instant};

use entities::audit_entry::Actor;
use entities::job::{Class, listing};
use entities::{GuildId, guild};
use queue::run::{Handler, JobContext, JobError, Outcome, Registry, Slots};
use queue::{Draft, Payload, Queue};
use runtime::{Config, Context, Secret, Shutdown, UnitOfWork};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use testkit::{Mode, Namespace, Servers, TestDatabase, guild_row};

/// Each with its own connections; one if embedded.
const WORKERS: usize = 4;
/// Tasks that insert jobs.
const PRODUCERS: usize = 8;
/// Jobs that a producer commits in one transaction.
const BATCH: usize = 50;
/// Counting reads the whole table: a shorter interval would distort the measurement.
const POLL_EVERY: Duration = Duration::from_millis(250);
const FIRST_GUILD: i64 = 7_000_000_000_000_000_000;

/// Measure no-op jobs a second through the whole path: insert, publish, claim, end
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Measure SQLite and queues in memory instead of Postgres and RabbitMQ
    #[arg(long)]
    embedded: bool,
    /// Number of jobs
    #[arg(long, default_value_t = 50_000)]
    jobs: usize,
    /// Number of guilds that the jobs are spread over; only a share of one guild's jobs is in flight
    #[arg(long, default_value_t = 50_000, value_parser = clap::value_parser!(i64).range(1..))]
    guilds: i64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Noop {}

impl Payload for Noop {
    const KIND: &'static str = "noop";
    const CLASS: Class = Class::Default;
}

struct NoopHandler;

impl Handler for NoopHandler {
    type Payload = Noop;

    async fn run(&self, _: &JobContext, _: Noop) -> Result<Outcome, JobError> {
        Ok(Outcome::done(Value::Null))
    }
}

pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let (database, namespace) = match Mode::embedded_if(arguments.embedded) {
        Mode::Embedded => (TestDatabase::sqlite().await, None),
        Mode::Distributed => (TestDatabase::postgres().await, Some(Namespace::new(Servers::from_env()))),
    };
    let prefix = namespace.as_ref().map_or_else(String::new, |namespace| namespace.prefix.clone());
    let broker = namespace.as_ref().map(Namespace::broker);
    let config = Config { database_url: Secret::from(database.url()), prefix, broker };
    let own = process(&config).await?;
    add_guilds(&own.context, arguments.guilds).await?;
    work(arguments, &config, &own).await?;
    let (started, share) = (Instant::now(), arguments.jobs / PRODUCERS);
    let mut producers = Vec::new();
    for number in 0..PRODUCERS {
        let first_guild = i64::try_from(number * share)?;
        let numbers = (first_guild..).take(share).map(|number| number % arguments.guilds).collect();
        producers.push(tokio::spawn(produce(own.clone(), numbers)));
    }
    for producer in producers {
        producer.await??;
    }
    let enqueued = started.elapsed();
    let done = wait_until_drained(&own.context, (share * PRODUCERS) as u64).await?;
    let total = started.elapsed();
    println!("{done} jobs, enqueued in {enqueued:.2?}, all finished in {total:.2?}");
    #[expect(clippy::cast_precision_loss, reason = "a printed rate")]
    let rate = done as f64 / total.as_secs_f64();
    println!("{rate:.0} jobs/s through the whole path");
    Ok(())
}

/// The connections of a process.
#[derive(Clone)]
struct Connected {
    context: Context,
    queue: Queue,
}

async fn process(config: &Config) -> anyhow::Result<Connected> {
    let context = Context::open(config, Shutdown::new()).await?;
    let queue = match &config.broker {
        None => Queue::embedded(&context),
        Some(broker) => Queue::distributed(&context, broker.amqp_url.expose(), &config.prefix),
    };
    queue.broker().connects().wait_for(|count| *count > 0).await?;
    Ok(Connected { context, queue })
}

async fn add_guilds(context: &Context, count: i64) -> anyhow::Result<()> {
    let transaction = context.database.begin().await?;
    for number in 0..count {
        guild::upsert(&transaction, guild_row(guild_id(number)?, context.clock.now())).await?;
    }
    Ok(transaction.commit().await?)
}

fn guild_id(number: i64) -> anyhow::Result<GuildId> {
    Ok(GuildId::try_from(FIRST_GUILD + number)?)
}

async fn work(arguments: &Arguments, config: &Config, own: &Connected) -> anyhow::Result<()> {
    let slots = Slots { default: 256, ..Slots::default() };
    let registry = || Registry::default().with(NoopHandler);
    if arguments.embedded {
        queue::run::run(&own.queue, registry(), slots);
        return Ok(());
    }
    for _ in 0..WORKERS {
        queue::run::run(&process(config).await?.queue, registry(), slots);
    }
    Ok(())
}

/// One job for each guild in `numbers`.
async fn produce(own: Connected, numbers: Vec<i64>) -> anyhow::Result<()> {
    for numbers in numbers.chunks(BATCH) {
        let mut work = UnitOfWork::begin(&own.context).await?;
        let drafts =
            numbers.iter().map(|number| Ok(Draft::new(guild_id(*number)?, &Noop {}, Actor::service())?));
        let drafts = drafts.collect::<anyhow::Result<Vec<_>>>()?;
        queue::enqueue_many(&mut work, drafts).await?;
        own.queue.publish(work.commit().await?);
    }
    Ok(())
}

async fn wait_until_drained(context: &Context, jobs: u64) -> anyhow::Result<u64> {
    let conn = context.database.read();
    loop {
        let done = listing::count_succeeded(conn, "noop").await?;
        if done >= jobs {
            let backlog = listing::backlog(conn, Class::Default, context.clock.now()).await?;
            anyhow::ensure!((backlog.available, backlog.held) == (0, 0), "jobs are left over");
            return Ok(done);
        }
        tokio::time::sleep(POLL_EVERY).await;
    }
}
