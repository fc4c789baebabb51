//! The database file and its schema at the start of a process or command: migrated, or refused.

use anyhow::Context as _;
use migrations::Difference;
use runtime::{Config, Database, DatabaseOptions, StartError};

/// What to do about a missing database file.
pub(crate) const CREATE_DATABASE: &str = "create one with `guildhall guilds add` or `guildhall serve`, or correct --data-dir or GUILDHALL_DATABASE_URL";

/// Says which SQLite file is missing, if one is.
pub(crate) fn missing_file(config: &Config) -> Result<Option<String>, StartError> {
    let missing = config.sqlite_file()?.filter(|file| !file.exists());
    Ok(missing.map(|file| format!("there is no database {} yet", file.display())))
}

/// Applies pending migrations and returns their names. Nothing is written when the schema is current.
pub(crate) async fn migrate(config: &Config) -> anyhow::Result<Vec<String>> {
    let database = connect(config).await?;
    let applied = apply(&database).await;
    database.close().await;
    applied
}

async fn apply(database: &Database) -> anyhow::Result<Vec<String>> {
    if read(database).await?.pending.is_empty() {
        return Ok(Vec::new());
    }
    migrations::apply(database.write().unbounded())
        .await
        .context("cannot bring the database schema up to date")
}

/// Refuses an older and a newer schema; the error says what to run.
pub(crate) async fn require_current(config: &Config) -> anyhow::Result<()> {
    let database = connect(config).await?;
    let difference = read(&database).await;
    database.close().await;
    match difference?.pending.len() {
        0 => Ok(()),
        pending => Err(StartError::OldSchema { pending }.into()),
    }
}

/// How the schema is behind this program; one that is ahead of it is an error.
async fn read(database: &Database) -> anyhow::Result<Difference> {
    let difference = migrations::difference(database.read().unbounded()).await;
    let difference = difference.context("cannot read the state of the schema")?;
    if difference.unknown.is_empty() {
        return Ok(difference);
    }
    Err(StartError::NewSchema { unknown: difference.unknown.join(", "), version: env!("CARGO_PKG_VERSION") }
        .into())
}

/// A connection without a statement timeout: a migration of a large table may exceed it.
pub(crate) async fn connect(config: &Config) -> Result<Database, StartError> {
    let options =
        DatabaseOptions { max_connections: 2, readers: 1, statement_timeout: None, ..Default::default() };
    Database::connect(config.database_url.expose(), &options).await
}
