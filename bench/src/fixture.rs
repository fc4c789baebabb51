//! A fresh database and queue prefix on the servers of `deploy/services`, or a SQLite file.

use anyhow::Context as _;
use clap::ValueEnum;
use entities::audit_entry::Actor;
use entities::job::Class;
use entities::{GuildId, guild};
use queue::run::{Handler, JobContext, JobError, Outcome, Registry, Slots};
use queue::{Draft, Payload, Queue};
use runtime::{BrokerConfig, Config, Context, Secret, Shutdown};
use sea_orm::{ConnectOptions, DatabaseConnection};
use serde::{Deserialize, Serialize};
use testkit::{TestDatabase, guild_row};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    Embedded,
    Distributed,
}

pub(crate) struct Fixture {
    pub(crate) context: Context,
    pub(crate) queue: Queue,
    config: Config,
    database: TestDatabase,
}

/// A no-op job.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Noop {}

impl Payload for Noop {
    const KIND: &'static str = "noop";
    const CLASS: Class = Class::Default;
}

struct NoopHandler;

impl Handler for NoopHandler {
    type Payload = Noop;

    async fn run(&self, job: &JobContext, _: Noop) -> Result<Outcome, JobError> {
        Ok(Outcome::done(serde_json::json!({ "started": job.now().timestamp_micros() })))
    }
}

const FIRST_GUILD: i64 = 7_000_000_000_000_000_000;

pub(crate) fn guild_id(number: i64) -> anyhow::Result<GuildId> {
    Ok(GuildId::try_from(FIRST_GUILD + number)?)
}

fn variable(name: &str) -> anyhow::Result<String> {
    std::env::var(name).with_context(|| format!(r#"{name} is not set: eval "$(deploy/services env)""#))
}

pub(crate) fn amqp_url() -> anyhow::Result<String> {
    variable("GUILDHALL_TEST_AMQP_URL")
}

impl Fixture {
    pub(crate) async fn start(mode: Mode, guilds: i64) -> anyhow::Result<Self> {
        let prefix = format!("b{}", &uuid::Uuid::now_v7().simple().to_string()[20..]);
        let (database, broker) = match mode {
            Mode::Embedded => (TestDatabase::sqlite().await, None),
            Mode::Distributed => {
                let (amqp_url, redis_url) =
                    (amqp_url()?.into(), variable("GUILDHALL_TEST_REDIS_URL")?.into());
                (TestDatabase::postgres().await, Some(BrokerConfig { amqp_url, redis_url }))
            }
        };
        let config = Config { database_url: Secret::from(database.url()), prefix, broker };
        let (context, queue) = process(&config).await?;
        add_guilds(&context, guilds).await?;
        Ok(Self { context, queue, config, database })
    }

    /// One connection to the fixture's database without the product's timeouts, for slow statements.
    pub(crate) async fn patient(&self) -> anyhow::Result<DatabaseConnection> {
        let mut options = ConnectOptions::new(self.config.database_url.expose());
        options.max_connections(1).sqlx_logging(false);
        Ok(sea_orm::Database::connect(options).await?)
    }

    /// Drops the database.
    pub(crate) async fn remove(self) {
        self.database.remove().await;
    }

    /// Another process's set of connections to the same fixture; the same set if it is embedded.
    pub(crate) async fn another(&self) -> anyhow::Result<(Context, Queue)> {
        if self.config.broker.is_none() {
            return Ok((self.context.clone(), self.queue.clone()));
        }
        process(&self.config).await
    }

    /// Starts `count` workers with the default slots.
    pub(crate) async fn work(&self, count: usize) -> anyhow::Result<()> {
        for _ in 0..count {
            let (_, queue) = self.another().await?;
            let registry = Registry::default().with(NoopHandler);
            queue::run::run(&queue, registry, Slots { default: 256, ..Slots::default() });
        }
        Ok(())
    }
}

async fn process(config: &Config) -> anyhow::Result<(Context, Queue)> {
    let context = Context::open(config, Shutdown::new()).await?;
    let queue = match &config.broker {
        None => Queue::embedded(&context),
        Some(broker) => Queue::distributed(&context, broker.amqp_url.expose(), &config.prefix),
    };
    queue.broker().connects().wait_for(|count| *count > 0).await?;
    Ok((context, queue))
}

async fn add_guilds(context: &Context, count: i64) -> anyhow::Result<()> {
    let transaction = context.database.begin().await?;
    for number in 0..count {
        guild::upsert(&transaction, guild_row(guild_id(number)?, context.clock.now())).await?;
    }
    Ok(transaction.commit().await?)
}

pub(crate) fn draft(guild: i64) -> anyhow::Result<Draft> {
    Ok(Draft::new(guild_id(guild)?, &Noop {}, Actor::service())?)
}
