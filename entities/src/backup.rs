//! Copies of a whole SQLite database. Those of Postgres are the matter of its own programs; [`Replaced`] is what they
//! replace.

mod replaced;

pub use replaced::Replaced;

use sea_orm::{DatabaseBackend, DbErr, Statement};

use crate::{Conn, Result};

/// Writes the database, as of one moment, to an empty or missing file. Others read and write meanwhile.
pub async fn copy_to(conn: &impl Conn, file: &str) -> Result<()> {
    let copy = Statement::from_sql_and_values(DatabaseBackend::Sqlite, "VACUUM INTO $1", [file.into()]);
    conn.execute_raw(copy).await.map(drop)
}

/// Reads every page and index. `Some`: what is wrong.
pub async fn damage(conn: &impl Conn) -> Result<Option<String>> {
    let check = Statement::from_string(DatabaseBackend::Sqlite, "PRAGMA integrity_check(1)");
    let row =
        conn.query_one_raw(check).await?.ok_or_else(|| DbErr::RecordNotFound("the check".to_owned()))?;
    let found: String = row.try_get_by_index(0)?;
    Ok((found != "ok").then_some(found))
}
