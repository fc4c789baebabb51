//! The schema, forward only: the files of `schema/`, one for each area.
//!
//! Pending changes run in one transaction, all or none, except those that build indexes of large tables while
//! others write (`CREATE INDEX {concurrently}`): each of these runs by itself on Postgres.

mod apply;
mod change;

use sea_orm::{ConnectionTrait, DatabaseConnection, DbErr};
use sea_orm_migration::{MigrationTrait, MigratorTrait};

use change::Change;

/// A change for each file of `schema/` that is named here.
macro_rules! changes {
    ($($name:literal),+ $(,)?) => {
        [$(Change { name: $name, sql: include_str!(concat!("../schema/", $name, ".sql")) }),+]
    };
}

/// Oldest first.
const CHANGES: [Change; 15] = changes![
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
    "m0016_traces",
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
}

/// Reads only. A database that was never migrated lacks all changes.
pub async fn difference(database: &DatabaseConnection) -> Result<Difference, DbErr> {
    let applied = applied_names(database).await?;
    let known: Vec<String> = Schema::migrations().iter().map(|known| known.name().to_owned()).collect();
    Ok(Difference {
        pending: known.iter().filter(|name| !applied.contains(name)).cloned().collect(),
        unknown: applied.into_iter().filter(|name| !known.contains(name)).collect(),
    })
}

async fn applied_names(database: &DatabaseConnection) -> Result<Vec<String>, DbErr> {
    if !sea_orm_migration::SchemaManager::new(database).has_table("seaql_migrations").await? {
        return Ok(Vec::new());
    }
    let statement = sea_orm::Statement::from_string(
        database.get_database_backend(),
        "SELECT version FROM seaql_migrations".to_owned(),
    );
    database.query_all_raw(statement).await?.iter().map(|row| row.try_get("", "version")).collect()
}
