//! A fresh database and queue prefix on the servers of `deploy/services`, or a SQLite file.

use anyhow::Context as _;
use async_trait::async_trait;
use clap::ValueEnum;
use entities::audit_entry::Actor;
use entities::job::Class;
use entities::{GuildId, guild};
use queue::run::{Handler, JobContext, JobError, Outcome, Registry, Slots};
use queue::{Draft, Payload, Queue};
use runtime::{BrokerConfig, Config, Context, Database, DatabaseOptions, Secret, Shutdown};
use sea_orm::{ConnectOptions, ConnectionTrait, DatabaseConnection};
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    Embedded,
    Distributed,
}

pub(crate) struct Site {
    pub(crate) context: Context,
    pub(crate) queue: Queue,
    config: Config,
    _folder: tempfile::TempDir,
}

/// A job that does nothing.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Noop {}

impl Payload for Noop {
    const KIND: &'static str = "noop";
    const CLASS: Class = Class::Default;
}

struct NoopHandler;

#[async_trait]
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

impl Site {
    pub(crate) async fn start(mode: Mode, guilds: i64) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir_in("target")?;
        let prefix = format!("b{}", &uuid::Uuid::now_v7().simple().to_string()[20..]);
        let config = match mode {
            Mode::Embedded => {
                let database_url = Secret::from(format!("sqlite://{}/bench.db", folder.path().display()));
                Config { database_url, prefix, broker: None }
            }
            Mode::Distributed => {
                let server = variable("GUILDHALL_TEST_DATABASE_URL")?;
                let conn = sea_orm::Database::connect(&server).await?;
                conn.execute_unprepared(&format!("CREATE DATABASE {prefix}")).await?;
                let (base, _) = server.rsplit_once('/').context("a database URL with a name")?;
                let (amqp_url, redis_url) = (amqp_url()?, variable("GUILDHALL_TEST_REDIS_URL")?);
                let broker = BrokerConfig { amqp_url: amqp_url.into(), redis_url: redis_url.into() };
                Config {
                    database_url: Secret::from(format!("{base}/{prefix}")),
                    prefix,
                    broker: Some(broker),
                }
            }
        };
        // First: a process that connects to a new broker looks at the job table.
        let database = Database::connect(config.database_url.expose(), &DatabaseOptions::default()).await?;
        migrations::apply(database.write()).await?;
        database.close().await;
        let (context, queue) = process(&config).await?;
        add_guilds(&context, guilds).await?;
        Ok(Self { context, queue, config, _folder: folder })
    }

    /// One connection to the site's database without the product's limits, for statements that take long.
    pub(crate) async fn patient(&self) -> anyhow::Result<DatabaseConnection> {
        let mut options = ConnectOptions::new(self.config.database_url.expose());
        options.max_connections(1).sqlx_logging(false);
        Ok(sea_orm::Database::connect(options).await?)
    }

    /// Drops the database of a distributed site.
    pub(crate) async fn remove(self) -> anyhow::Result<()> {
        if self.config.broker.is_some() {
            let conn = sea_orm::Database::connect(variable("GUILDHALL_TEST_DATABASE_URL")?).await?;
            conn.execute_unprepared(&format!("DROP DATABASE {} WITH (FORCE)", self.config.prefix)).await?;
        }
        Ok(())
    }

    /// Another process's worth of connections to the same site; the same one where it is embedded.
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
    let row = guild::Model {
        guild_id: guild_id(0)?,
        name: "Bench".to_owned(),
        shield_writer: false,
        mirror_bans: true,
        nickname_template: String::new(),
        time_zone: "UTC".to_owned(),
        week_start: 1,
        strike_days: 90,
        score_weights: serde_json::json!({}),
        created_at: context.clock.now(),
    };
    let transaction = context.database.begin().await?;
    for number in 0..count {
        guild::upsert(&transaction, guild::Model { guild_id: guild_id(number)?, ..row.clone() }).await?;
    }
    Ok(transaction.commit().await?)
}

pub(crate) fn draft(guild: i64) -> anyhow::Result<Draft> {
    Ok(Draft::new(guild_id(guild)?, &Noop {}, Actor::service())?)
}
