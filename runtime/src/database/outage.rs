//! Which errors of the database are transient.

use sea_orm::sqlx::error::DatabaseError;
use sea_orm::{DbErr, RuntimeErr, SqlxError};

/// Postgres: a timeout, a conflict of transactions, a server that stops or is out of resources.
const TRANSIENT_CODES: [&str; 9] =
    ["57014", "40001", "40P01", "55P03", "57P01", "57P02", "57P03", "53300", "53200"];
/// Postgres: changes that could not be put in an order, and a deadlock.
const CONFLICT_CODES: [&str; 2] = ["40001", "40P01"];
/// SQLite: busy, in its plain and extended forms.
const SQLITE_BUSY_CODES: [&str; 4] = ["5", "261", "517", "773"];

/// Whether a later try may succeed: the database is away, or too busy.
pub fn is_outage(error: &DbErr) -> bool {
    match error {
        DbErr::ConnectionAcquire(_) | DbErr::Conn(_) | DbErr::RecordNotInserted => true,
        DbErr::Exec(RuntimeErr::SqlxError(error)) | DbErr::Query(RuntimeErr::SqlxError(error)) => {
            sqlx_passes(error)
        }
        _ => false,
    }
}

/// Whether the transaction conflicted with another one, and was rolled back so that it can be repeated: a
/// deadlock, or two changes of the same rows.
pub fn is_conflict(error: &DbErr) -> bool {
    match error {
        DbErr::RecordNotInserted => true,
        DbErr::Exec(RuntimeErr::SqlxError(error)) | DbErr::Query(RuntimeErr::SqlxError(error)) => {
            let code = error.as_database_error().and_then(DatabaseError::code);
            code.is_some_and(|code| CONFLICT_CODES.contains(&code.as_ref()))
        }
        _ => false,
    }
}

pub(super) fn sqlx_passes(error: &SqlxError) -> bool {
    match error {
        SqlxError::Io(_) | SqlxError::PoolTimedOut | SqlxError::PoolClosed | SqlxError::WorkerCrashed => true,
        SqlxError::Database(error) => error.code().is_some_and(|code| {
            TRANSIENT_CODES.contains(&code.as_ref()) || SQLITE_BUSY_CODES.contains(&code.as_ref())
        }),
        _ => false,
    }
}
