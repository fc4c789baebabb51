//! The schema at the start of a process or command: brought up to date, or refused.

use anyhow::Context as _;
use runtime::{Config, Database, DatabaseOptions, StartError};

/// Applies what is pending and returns its names. Nothing is written when the schema is current.
pub(crate) async fn migrate(config: &Config) -> anyhow::Result<Vec<String>> {
    let database = connect(config).await?;
    let applied = apply(&database).await.context("cannot bring the database schema up to date");
    database.close().await;
    applied
}

async fn apply(database: &Database) -> Result<Vec<String>, sea_orm::DbErr> {
    if migrations::pending(database.read()).await?.is_empty() {
        return Ok(Vec::new());
    }
    migrations::apply(database.write()).await
}

/// Refuses a schema older than this program, naming the command that mends it.
pub(crate) async fn require_current(config: &Config) -> anyhow::Result<()> {
    let database = connect(config).await?;
    let pending = migrations::pending(database.read()).await.context("cannot read the state of the schema");
    database.close().await;
    match pending?.len() {
        0 => Ok(()),
        pending => Err(StartError::OldSchema { pending }.into()),
    }
}

/// A connection for the schema alone. A change of a large table may take longer than any query may.
async fn connect(config: &Config) -> Result<Database, StartError> {
    let options =
        DatabaseOptions { max_connections: 2, readers: 1, statement_timeout: None, ..Default::default() };
    Database::connect(config.database_url.expose(), &options).await
}
