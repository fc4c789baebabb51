//! The database file and its schema at the start of a process or command: migrated, or refused.

use anyhow::Context as _;
use runtime::{Config, Database, DatabaseOptions, StartError};

/// What to do about a missing database file.
pub(crate) const CREATE_DATABASE: &str =
    "create one with `guildhall guilds add` or `guildhall serve`, or correct --data-dir or --database-url";

/// Says which SQLite file is missing, if one is.
pub(crate) fn missing_file(config: &Config) -> Result<Option<String>, StartError> {
    let missing = config.sqlite_file()?.filter(|file| !file.exists());
    Ok(missing.map(|file| format!("there is no database {} yet", file.display())))
}

/// Applies pending migrations and returns their names. Nothing is written when the schema is current.
pub(crate) async fn migrate(config: &Config) -> anyhow::Result<Vec<String>> {
    let database = connect(config).await?;
    let applied = apply(&database).await.context("cannot bring the database schema up to date");
    database.close().await;
    applied
}

async fn apply(database: &Database) -> Result<Vec<String>, sea_orm::DbErr> {
    if migrations::pending(database.read().unbounded()).await?.is_empty() {
        return Ok(Vec::new());
    }
    migrations::apply(database.write().unbounded()).await
}

/// Refuses a schema with pending migrations; the error names the command to run.
pub(crate) async fn require_current(config: &Config) -> anyhow::Result<()> {
    let database = connect(config).await?;
    let pending =
        migrations::pending(database.read().unbounded()).await.context("cannot read the state of the schema");
    database.close().await;
    match pending?.len() {
        0 => Ok(()),
        pending => Err(StartError::OldSchema { pending }.into()),
    }
}

/// A connection for the schema alone, without a statement timeout: a migration of a large table may exceed it.
async fn connect(config: &Config) -> Result<Database, StartError> {
    let options =
        DatabaseOptions { max_connections: 2, readers: 1, statement_timeout: None, ..Default::default() };
    Database::connect(config.database_url.expose(), &options).await
}
