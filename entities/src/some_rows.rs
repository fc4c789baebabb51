//! Statements over a part of a table's rows, so that none holds the locks of many rows for long.

use sea_orm::DatabaseBackend;

/// The condition of a statement on the table: the row is one of `limit` that fulfil `filter`.
pub(crate) fn some_rows(backend: DatabaseBackend, table: &str, filter: &str, limit: u64) -> String {
    // Tables with other keys have row ids too.
    let row = if backend == DatabaseBackend::Postgres { "ctid" } else { "rowid" };
    format!("{row} IN (SELECT {row} FROM {table} WHERE {filter} LIMIT {limit})")
}
