//! Maps failures of the database, the queue, jobs and platforms to API errors: retry later, conflict, or a bug.

use entities::job::Failure;
use platforms::PlatformError;
use queue::QueueError;
use sea_orm::{DbErr, SqlErr};

use crate::response::error::{ApiError, Kind};

impl From<DbErr> for ApiError {
    fn from(error: DbErr) -> Self {
        if let Some(SqlErr::UniqueConstraintViolation(_)) = error.sql_err() {
            return Self::conflict("conflict", "it exists already").cause(error);
        }
        if runtime::is_outage(&error) {
            let repeatable = runtime::is_conflict(&error);
            let mut answer =
                Self::unavailable("database_unavailable", "the database does not answer").cause(error);
            answer.0.repeatable = repeatable;
            return answer;
        }
        Self::internal(error)
    }
}

/// Maps a job's failure one to one.
impl From<Failure> for ApiError {
    fn from(failure: Failure) -> Self {
        let kind = Kind::of_status(failure.status);
        if kind == Kind::Internal {
            return Self::internal(format!("{}: {}", failure.error, failure.message));
        }
        let error = Self::new(kind, failure.message).word(failure.error);
        match failure.retry_after {
            Some(seconds) => error.retry_after(seconds),
            None => error,
        }
    }
}

/// As a job that met the error would fail.
impl From<PlatformError> for ApiError {
    fn from(error: PlatformError) -> Self {
        Failure::from(&error).into()
    }
}

impl From<QueueError> for ApiError {
    fn from(error: QueueError) -> Self {
        match error {
            QueueError::Database(error) => error.into(),
            QueueError::Arguments(error) => error.into(),
        }
    }
}

impl From<serde_json::Error> for ApiError {
    fn from(error: serde_json::Error) -> Self {
        Self::internal(error)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use sea_orm::{RuntimeErr, SqlxError};

    use super::*;

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
