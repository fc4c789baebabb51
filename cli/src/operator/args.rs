//! The database of a command that does one thing beside running processes. Only its URL (or data folder) is needed.
//!
//! A SQLite file is migrated when it is opened, as `serve` does; an old schema on Postgres is refused. With Redis configured,
//! running processes are notified of changes at once; otherwise they notice when their cached entries expire.

use anyhow::bail;
use entities::GuildId;
use runtime::{BrokerArgs, Config, Context, DatabaseArgs, Events, Redis, Secret, Shutdown, StartError};

use super::guild::require_guild;
use super::unit_of_work::UnitOfWork;
use crate::{output, schema};

#[derive(clap::Args, Clone)]
pub(crate) struct OperatorArgs {
    #[command(flatten)]
    database: DatabaseArgs,
    /// Redis of the running processes, to notify them of changes at once; optional
    #[arg(long, env = runtime::REDIS_URL, value_name = "URL", hide_env_values = true)]
    redis_url: Option<Secret>,
    /// Prefix of Redis keys, the same as that of the running processes
    #[arg(long, env = "GUILDHALL_PREFIX", value_name = "NAME", default_value = "guildhall")]
    prefix: String,
}

impl OperatorArgs {
    /// For commands that only read.
    pub(crate) async fn open_read(&self) -> anyhow::Result<Context> {
        let config = self.config()?;
        refuse_missing_file(&config)?;
        open(&config).await
    }

    /// For commands that write: events reach the running processes.
    pub(crate) async fn open_write(&self) -> anyhow::Result<Context> {
        let config = self.config()?;
        refuse_missing_file(&config)?;
        self.with_events(open(&config).await?).await
    }

    /// Like [`open_write`](Self::open_write), but creates a missing SQLite file: for the first command of a new user.
    pub(crate) async fn open_or_create(&self) -> anyhow::Result<Context> {
        let config = self.config()?;
        self.with_events(open(&config).await?).await
    }

    pub(crate) async fn begin(&self) -> anyhow::Result<UnitOfWork> {
        UnitOfWork::begin(self.open_write().await?).await
    }

    /// Applies pending migrations and returns their names.
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

    /// Connects the context's events to Redis, where that is configured. An unreachable Redis is only reported: the
    /// change itself does not need it.
    async fn with_events(&self, mut context: Context) -> anyhow::Result<Context> {
        let Some(url) = self.redis_url() else { return Ok(context) };
        match Redis::connect(url.expose().trim(), &context.prefix).await {
            Ok(redis) => {
                context.events = Events::redis(&redis, &context.shutdown);
                context.redis = Some(redis);
            }
            Err(error @ StartError::Unreachable { .. }) => {
                output::note(&format!("note: {error}; running processes will notice the change late"));
            }
            Err(error) => return Err(error.into()),
        }
        Ok(context)
    }
}

/// A guild and the database it is in.
#[derive(clap::Args)]
pub(crate) struct GuildArgs {
    /// The guild
    #[arg(long, env = "GUILDHALL_GUILD", value_name = "GUILD_ID")]
    pub(crate) guild: GuildId,
    #[command(flatten)]
    operator: OperatorArgs,
}

impl GuildArgs {
    /// Opens the database for reading, if the guild exists.
    pub(crate) async fn open_read(&self) -> anyhow::Result<Context> {
        let context = self.operator.open_read().await?;
        require_guild(context.database.read(), self.guild).await?;
        Ok(context)
    }

    /// Begins a unit of work, if the guild exists.
    pub(crate) async fn begin(&self) -> anyhow::Result<UnitOfWork> {
        let unit = self.operator.begin().await?;
        require_guild(unit.tx(), self.guild).await?;
        Ok(unit)
    }
}

fn refuse_missing_file(config: &Config) -> anyhow::Result<()> {
    match schema::missing_file(config)? {
        Some(what) => bail!("{what}; {}", schema::CREATE_DATABASE),
        None => Ok(()),
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
