//! The database of a command that does one thing beside running processes. Only its URL (or data folder) is needed.
//!
//! Only `migrate` and `serve` change a schema: an older one is refused, and a newer one that this program cannot work
//! with.

use std::path::PathBuf;

use anyhow::bail;
use entities::GuildId;
use migrations::Difference;
use runtime::{Config, Context, DatabaseArgs, Shutdown, StartError};

use super::guild::require_guild;
use super::unit_of_work::UnitOfWork;
use crate::format::FormatArgs;
use crate::schema;

#[derive(clap::Args, Clone)]
pub(crate) struct OperatorArgs {
    #[command(flatten)]
    database: DatabaseArgs,
}

impl OperatorArgs {
    pub(crate) async fn open(&self) -> anyhow::Result<Context> {
        let config = self.config()?;
        refuse_missing_file(&config)?;
        connect(&config).await
    }

    /// Like [`open`](Self::open), but creates a missing SQLite file: for the first command of a new user.
    pub(crate) async fn open_or_create(&self) -> anyhow::Result<Context> {
        let config = self.config()?;
        if schema::missing_file(&config)?.is_some() {
            schema::migrate(&config).await?;
        }
        connect(&config).await
    }

    /// The file that [`open_or_create`](Self::open_or_create) would create.
    pub(crate) fn missing_file(&self) -> Result<Option<PathBuf>, StartError> {
        schema::missing_file(&self.config()?)
    }

    pub(crate) async fn begin(&self) -> anyhow::Result<UnitOfWork> {
        UnitOfWork::begin(self.open().await?).await
    }

    /// Applies pending migrations and returns their names.
    pub(crate) async fn migrate(&self) -> anyhow::Result<Vec<String>> {
        schema::migrate(&self.config()?).await
    }

    /// How the schema differs from that of this program. A missing SQLite file is an error, and is not created.
    pub(crate) async fn compare_schema(&self) -> anyhow::Result<Difference> {
        let config = self.config()?;
        refuse_missing_file(&config)?;
        schema::compare(&config).await
    }

    fn config(&self) -> Result<Config, StartError> {
        Config::embedded(&self.database)
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
    pub(crate) async fn open(&self) -> anyhow::Result<Context> {
        let context = self.operator.open().await?;
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

/// The arguments of a list of a guild's objects.
#[derive(clap::Args)]
pub(crate) struct GuildListArgs {
    #[command(flatten)]
    pub(crate) format: FormatArgs,
    #[command(flatten)]
    pub(crate) guild: GuildArgs,
}

/// The arguments of a list over all guilds.
#[derive(clap::Args)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    pub(crate) format: FormatArgs,
    #[command(flatten)]
    pub(crate) operator: OperatorArgs,
}

/// How many rows a list has at most.
#[derive(clap::Args, Clone, Copy)]
pub(crate) struct LimitArgs {
    /// List at most this many
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub(crate) limit: u64,
}

fn refuse_missing_file(config: &Config) -> anyhow::Result<()> {
    match schema::missing_file(config)? {
        Some(file) => bail!("{}; {}", schema::is_missing(&file), schema::CREATE_DATABASE),
        None => Ok(()),
    }
}

async fn connect(config: &Config) -> anyhow::Result<Context> {
    schema::require_usable(config).await?;
    Ok(Context::embedded(config, Shutdown::new()).await?)
}
