//! Maps database errors to API errors: retry later, conflict, or a bug.

use sea_orm::{DbErr, RuntimeErr, SqlErr, SqlxError};

use crate::response::error::ApiError;

/// Postgres: a timeout, a conflict of transactions, a server that stops or is out of resources.
const PASSING: [&str; 9] = ["57014", "40001", "40P01", "55P03", "57P01", "57P02", "57P03", "53300", "53200"];
/// SQLite: busy, in its plain and extended forms.
const SQLITE_BUSY: [&str; 4] = ["5", "261", "517", "773"];

impl From<DbErr> for ApiError {
    fn from(error: DbErr) -> Self {
        if let Some(SqlErr::UniqueConstraintViolation(_)) = error.sql_err() {
            return Self::conflict("conflict", "it exists already").cause(error);
        }
        if passes(&error) {
            return Self::unavailable("database_unavailable", "the database does not answer").cause(error);
        }
        Self::internal(error)
    }
}

fn passes(error: &DbErr) -> bool {
    match error {
        DbErr::ConnectionAcquire(_) | DbErr::Conn(_) | DbErr::RecordNotInserted => true,
        DbErr::Exec(RuntimeErr::SqlxError(error)) | DbErr::Query(RuntimeErr::SqlxError(error)) => {
            sqlx_passes(error)
        }
        _ => false,
    }
}

fn sqlx_passes(error: &SqlxError) -> bool {
    match error {
        SqlxError::Io(_) | SqlxError::PoolTimedOut | SqlxError::PoolClosed | SqlxError::WorkerCrashed => true,
        SqlxError::Database(error) => error
            .code()
            .is_some_and(|code| PASSING.contains(&code.as_ref()) || SQLITE_BUSY.contains(&code.as_ref())),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::response::error::Kind;

    #[test]
    fn a_lost_connection_is_retryable_and_other_errors_are_bugs() {
        let gone = DbErr::Query(RuntimeErr::SqlxError(Arc::new(SqlxError::PoolTimedOut)));
        let gone = ApiError::from(gone);
        assert_eq!(gone.kind(), Kind::Unavailable);
        assert!(gone.parts().retry_after.is_some() && gone.parts().cause.is_some());
        let bug = ApiError::from(DbErr::Type("column".to_owned()));
        assert_eq!(bug.kind(), Kind::Internal);
        assert!(!bug.parts().message.contains("column"));
    }
}
