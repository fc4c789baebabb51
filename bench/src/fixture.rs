//! A fresh database and queue prefix on the servers of `deploy/services`, or a SQLite file.

use entities::audit_entry::Actor;
use entities::job::Class;
use entities::{GuildId, guild};
use queue::run::{Handler, JobContext, JobError, Outcome, Registry, Slots};
use queue::{Draft, Payload, Queue};
use runtime::{Config, Context, Secret, Shutdown};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use testkit::{Mode, Namespace, Servers, TestDatabase, guild_row};

pub(crate) struct Fixture {
    pub(crate) context: Context,
    pub(crate) queue: Queue,
    config: Config,
    pub(crate) database: TestDatabase,
    _namespace: Option<Namespace>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Noop {}

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

const FIRST_GUILD: i64 = 7_000_000_000_000_000_000;

pub(crate) fn guild_id(number: i64) -> anyhow::Result<GuildId> {
    Ok(GuildId::try_from(FIRST_GUILD + number)?)
}

impl Fixture {
    pub(crate) async fn start(mode: Mode, guilds: i64) -> anyhow::Result<Self> {
        let (database, namespace) = match mode {
            Mode::Embedded => (TestDatabase::sqlite().await, None),
            Mode::Distributed => (TestDatabase::postgres().await, Some(Namespace::new(Servers::from_env()))),
        };
        let broker = namespace.as_ref().map(Namespace::broker);
        let prefix = namespace.as_ref().map_or_else(String::new, |namespace| namespace.prefix.clone());
        let config = Config { database_url: Secret::from(database.url()), prefix, broker };
        let (context, queue) = process(&config).await?;
        add_guilds(&context, guilds).await?;
        Ok(Self { context, queue, config, database, _namespace: namespace })
    }

    /// Another process's set of connections to the same fixture; the same set if it is embedded.
    async fn another(&self) -> anyhow::Result<(Context, Queue)> {
        if self.config.broker.is_none() {
            return Ok((self.context.clone(), self.queue.clone()));
        }
        process(&self.config).await
    }

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
