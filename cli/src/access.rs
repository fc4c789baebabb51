//! The database for commands that do one thing beside running processes: only its URL (or data folder) is needed.
//!
//! A SQLite file is migrated on the way, as `serve` does; on Postgres an old schema is refused. Where Redis is
//! configured, running processes hear of changes at once; else when their cached entries end.

use std::time::Duration;

use anyhow::bail;
use entities::{GuildId, audit_entry, guild};
use runtime::{
    BrokerArgs, Config, Context, DatabaseArgs, Event, Events, Redis, Secret, Shutdown, StartError,
};
use sea_orm::ConnectionTrait;

use crate::{output, schema};

/// How long a command waits for its events to be sent.
const FLUSH: Duration = Duration::from_secs(1);

#[derive(clap::Args, Clone)]
pub(crate) struct AccessArgs {
    #[command(flatten)]
    database: DatabaseArgs,
    /// Redis of the running processes, so that they hear of changes at once; may be left out
    #[arg(long, env = runtime::REDIS_URL, value_name = "URL", hide_env_values = true)]
    redis_url: Option<Secret>,
    /// Heads the names of Redis keys, as given to the running processes
    #[arg(long, env = "GUILDHALL_PREFIX", value_name = "NAME", default_value = "guildhall")]
    prefix: String,
}

impl AccessArgs {
    /// For commands that only look.
    pub(crate) async fn look(&self) -> anyhow::Result<Context> {
        let config = self.config()?;
        refuse_missing_file(&config)?;
        open(&config).await
    }

    /// For commands that change what is there.
    pub(crate) async fn change(&self) -> anyhow::Result<Context> {
        let config = self.config()?;
        refuse_missing_file(&config)?;
        self.announcing(open(&config).await?).await
    }

    /// Like [`change`](Self::change), for commands with which a newcomer begins: an empty folder becomes a database.
    pub(crate) async fn begin(&self) -> anyhow::Result<Context> {
        let config = self.config()?;
        self.announcing(open(&config).await?).await
    }

    /// Applies pending changes of the schema and returns their names.
    pub(crate) async fn migrate(&self) -> anyhow::Result<Vec<String>> {
        schema::migrate(&self.config()?).await
    }

    fn config(&self) -> Result<Config, StartError> {
        let no_broker = BrokerArgs { amqp_url: None, redis_url: None, prefix: self.prefix.clone() };
        let config = Config::either(&self.database, &no_broker)?;
        if self.redis_url().is_some() && !config.is_postgres() {
            return Err(StartError::Contradiction(format!(
                "{} is set, but {} names no Postgres: give the database of the running processes, or unset both",
                runtime::REDIS_URL,
                runtime::DATABASE_URL
            )));
        }
        Ok(config)
    }

    fn redis_url(&self) -> Option<&Secret> {
        self.redis_url.as_ref().filter(|url| !url.expose().trim().is_empty())
    }

    /// Connects the context's events to Redis, where that is configured. An unreachable one is said, and no more.
    async fn announcing(&self, mut context: Context) -> anyhow::Result<Context> {
        let Some(url) = self.redis_url() else { return Ok(context) };
        match Redis::connect(url.expose().trim(), &context.prefix).await {
            Ok(redis) => {
                context.events = Events::redis(&redis, &context.shutdown);
                context.redis = Some(redis);
            }
            Err(error @ StartError::Unreachable { .. }) => {
                output::note(&format!("note: {error}; running processes will notice late"));
            }
            Err(error) => return Err(error.into()),
        }
        Ok(context)
    }
}

fn refuse_missing_file(config: &Config) -> anyhow::Result<()> {
    match config.sqlite_file()? {
        Some(file) if !file.exists() => bail!(
            "there is no database {} yet: begin with `guildhall guilds add` or `guildhall serve`, or correct --data-dir or --database-url",
            file.display()
        ),
        _ => Ok(()),
    }
}

async fn open(config: &Config) -> anyhow::Result<Context> {
    if config.is_postgres() {
        schema::require_current(config).await?;
    } else {
        schema::migrate(config).await?;
    }
    Ok(Context::embedded(config, Shutdown::new()).await?)
}

/// Tells running processes and ends.
pub(crate) async fn finish(context: Context, events: Vec<Event>) {
    let announced = context.redis.is_some() && !events.is_empty();
    for event in events {
        context.events.publish(event);
    }
    if announced && !context.events.flush(FLUSH).await {
        output::note("note: Redis did not take the news; running processes will notice late");
    }
    context.close().await;
}

/// The guild, or an error that says how to add it.
pub(crate) async fn require_guild<C: ConnectionTrait>(conn: &C, id: GuildId) -> anyhow::Result<guild::Model> {
    match guild::find(conn, id).await? {
        Some(guild) => Ok(guild),
        None => bail!("guild {id} is not known; add it with `guildhall guilds add {id} --name NAME`"),
    }
}

/// Writes the audit entry of a change made here: by the service, from the command line.
pub(crate) async fn audit<C: ConnectionTrait>(
    conn: &C,
    (guild, action): (GuildId, &'static str),
    target: String,
    mut metadata: serde_json::Map<String, serde_json::Value>,
    now: entities::Timestamp,
) -> Result<(), sea_orm::DbErr> {
    metadata.insert("by".to_owned(), "command line".into());
    let entry = audit_entry::NewEntry { guild, action, target, metadata: metadata.into() };
    audit_entry::write(conn, &audit_entry::Actor::service(), entry, now).await.map(drop)
}
