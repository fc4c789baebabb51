//! The database file and its schema at the start of a process or command: migrated, accepted, or refused.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use migrations::Difference;
use runtime::{Config, Database, DatabaseOptions, StartError, folder_of};

/// What to do about a missing database file.
pub(crate) const CREATE_DATABASE: &str = "create one with `guildhall guilds add` or `guildhall serve`, or correct --data-dir or GUILDHALL_DATABASE_URL";

/// The SQLite file, if it is missing. One in a folder that this user cannot look into is an error.
pub(crate) fn missing_file(config: &Config) -> Result<Option<PathBuf>, StartError> {
    let Some(path) = config.sqlite_file()? else { return Ok(None) };
    match path.try_exists() {
        Ok(true) => Ok(None),
        Ok(false) => Ok(Some(path)),
        Err(error) => {
            let folder = folder_of(&path).display();
            let reason =
                format!("cannot look into {folder}: {error}; run it as the user who has the database");
            Err(StartError::DatabaseFile { path, reason })
        }
    }
}

/// In words.
pub(crate) fn is_missing(file: &Path) -> String {
    format!("there is no database {} yet", file.display())
}

/// Applies pending migrations and returns their names. Nothing is written when the schema is current.
pub(crate) async fn migrate(config: &Config) -> anyhow::Result<Vec<String>> {
    let database = connect(config).await?;
    let applied = apply(&database).await;
    database.close().await;
    applied
}

async fn apply(database: &Database) -> anyhow::Result<Vec<String>> {
    let difference = read(database).await?;
    check_not_too_new(&difference)?;
    if difference.pending.is_empty() {
        return Ok(Vec::new());
    }
    migrations::apply(database.write().unbounded())
        .await
        .context("cannot bring the database schema up to date")
}

/// Refuses a schema that this program cannot work with; the error says what to run.
pub(crate) async fn require_usable(config: &Config) -> anyhow::Result<()> {
    let difference = compare(config).await?;
    check_usable(&difference)?;
    if !difference.unknown.is_empty() {
        let changes = difference.unknown.join(", ");
        tracing::info!(changes, "the schema is newer than this program, which works with it");
    }
    Ok(())
}

/// How the schema differs from that of this program. Changes nothing.
pub(crate) async fn compare(config: &Config) -> anyhow::Result<Difference> {
    let database = connect(config).await?;
    let difference = read(&database).await;
    database.close().await;
    difference
}

/// An error if the schema lacks a change, or has one that this program cannot work with.
pub(crate) fn check_usable(difference: &Difference) -> Result<(), StartError> {
    check_not_too_new(difference)?;
    match difference.pending.len() {
        0 => Ok(()),
        pending => Err(StartError::OldSchema { pending }),
    }
}

/// In words, of a schema that lacks nothing.
pub(crate) fn state(difference: &Difference) -> String {
    match difference.unknown.as_slice() {
        [] => "up to date".to_owned(),
        newer => format!("newer than this program, which works with it: {} unknown", newer.join(", ")),
    }
}

fn check_not_too_new(difference: &Difference) -> Result<(), StartError> {
    if difference.refused.is_empty() {
        return Ok(());
    }
    Err(StartError::NewSchema { unknown: difference.refused.join(", "), version: env!("CARGO_PKG_VERSION") })
}

async fn read(database: &Database) -> anyhow::Result<Difference> {
    let difference = migrations::difference(database.read()).await;
    difference.context("cannot read the state of the schema")
}

/// A connection without a statement timeout: a migration of a large table may exceed it.
pub(crate) async fn connect(config: &Config) -> Result<Database, StartError> {
    let options =
        DatabaseOptions { max_connections: 2, readers: 1, statement_timeout: None, ..Default::default() };
    Database::connect(config.database_url.expose(), &options).await
}
