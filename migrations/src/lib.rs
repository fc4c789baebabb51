//! The schema, forward only: the files of `schema/`, one for each area.
//!
//! Pending changes run in one transaction, all or none, except those that build indexes of large tables while
//! others write (`CREATE INDEX {concurrently}`): each of these runs by itself on Postgres.
//!
//! Programs of two releases run side by side during an upgrade, so the name of a change says which older ones it
//! leaves running (CONTRIBUTING.md, "Expand and contract").

mod apply;
mod change;

use sea_orm::sea_query::Query;
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, DbErr};
use sea_orm_migration::{MigrationTrait, MigratorTrait};
use sea_schema::postgres::Postgres;
use sea_schema::probe::SchemaProbe;
use sea_schema::sqlite::Sqlite;

use change::Change;

/// The names of the changes that a database has.
const TABLE: &str = "seaql_migrations";

/// A change for each file of `schema/` that is named here.
macro_rules! changes {
    ($($name:literal),+ $(,)?) => {
        [$(Change { name: $name, sql: include_str!(concat!("../schema/", $name, ".sql")) }),+]
    };
}

/// Oldest first.
const CHANGES: [Change; 33] = changes![
    "m0001_guilds",
    "m0002_jobs",
    "m0003_moderation",
    "m0004_staff",
    "m0005_games",
    "m0006_tickets",
    "m0007_service",
    "m0008_changes",
    "m0009_console",
    "m0010_instance",
    "m0011_audit_search",
    "m0012_people",
    "m0013_leave_requests",
    "m0014_linking",
    "m0015_audit_chain",
    "m0016_traces",
    "m0017_guild_import",
    "m0018_webhooks",
    "m0019_follow",
    "m0020_binding_types_after_m0019",
    "m0021_log_channels",
    "m0022_gateway",
    "m0023_applications",
    "m0024_imports",
    "m0025_out_of_step",
    "m0026_server_players",
    "m0027_applicants",
    "m0028_staff_by_role",
    "m0029_accent",
    "m0030_numbers_of_sanctions",
    "m0031_import_progress",
    "m0032_watched",
    "m0033_leave_ended_early",
];

struct Schema;

impl MigratorTrait for Schema {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        CHANGES.iter().map(|change| Box::new(*change) as Box<dyn MigrationTrait>).collect()
    }
}

/// Applies pending changes and returns their names.
pub async fn apply(database: &DatabaseConnection) -> Result<Vec<String>, DbErr> {
    apply::apply::<Schema>(database, &CHANGES).await
}

/// How a database differs from the schema of this program.
#[derive(Debug, Default)]
pub struct Difference {
    /// Changes that the database lacks.
    pub pending: Vec<String>,
    /// Changes that a newer program made.
    pub unknown: Vec<String>,
    /// Those of `unknown` that this program cannot work with.
    pub refused: Vec<String>,
}

/// Reads only. A database that was never migrated lacks all changes.
pub async fn difference(database: &impl ConnectionTrait) -> Result<Difference, DbErr> {
    Ok(compare(applied_names(database).await?))
}

fn compare(applied: Vec<String>) -> Difference {
    let known = CHANGES.map(|change| change.name);
    let pending: Vec<_> = known.iter().filter(|name| !applied.iter().any(|done| done == *name)).collect();
    let pending: Vec<String> = pending.into_iter().map(|name| (*name).to_owned()).collect();
    let unknown = applied.into_iter().filter(|name| !known.contains(&name.as_str()));
    let unknown: Vec<String> = unknown.collect();
    // A database that lacks changes and has others is of another line of programs, not of a later one.
    let is_refused = |name: &&String| !pending.is_empty() || !change::allows(name, &known);
    Difference { refused: unknown.iter().filter(is_refused).cloned().collect(), pending, unknown }
}

async fn applied_names(database: &impl ConnectionTrait) -> Result<Vec<String>, DbErr> {
    let is_there = match database.get_database_backend() {
        DbBackend::Postgres => Postgres.has_table(TABLE),
        _ => Sqlite.has_table(TABLE),
    };
    let row = database.query_one(&is_there).await?;
    if !row.map(|row| row.try_get_by_index(0)).transpose()?.unwrap_or(false) {
        return Ok(Vec::new());
    }
    let versions = Query::select().column("version").from(TABLE).take();
    database.query_all(&versions).await?.iter().map(|row| row.try_get_by_index(0)).collect()
}

#[cfg(test)]
mod tests;
