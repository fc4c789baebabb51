//! How a run ends, as returned by its handler.

use std::time::Duration;

use entities::audit_entry::NewEntry;
use entities::job::Failure;
use sea_orm::DbErr;

use crate::Draft;

/// A successful end of a run.
#[derive(Debug)]
pub enum Outcome {
    /// Finished: the result for the caller, and the audit entries that commit with it.
    Done { result: serde_json::Value, audit: Vec<NewEntry> },
    /// A checkpoint is written; the rest runs later. Burns no attempt.
    Yield,
    /// The plan is complete: its chunks run next, and the last one ends this job. `counters` is an object of
    /// numbers to which each chunk's own result is added.
    FanOut { chunks: Vec<Draft>, counters: serde_json::Value, checkpoint: serde_json::Value },
}

impl Outcome {
    pub fn done(result: serde_json::Value) -> Self {
        Self::Done { result, audit: Vec::new() }
    }
}

/// An unsuccessful end of a run.
#[derive(Debug)]
pub enum JobError {
    /// Retried after the backoff.
    Retry(Failure),
    /// Retried after this pause, ±20 %: the kind has pauses of its own.
    RetryIn(Failure, Duration),
    /// A service that the job needs is busy or stopped: try again after this pause, ±20 %. Burns no attempt.
    Snooze(Failure, Duration),
    /// Not retryable.
    Fail(Failure),
    /// The job was cancelled; its changes so far are kept.
    Cancelled,
    /// The job may run elsewhere: this run writes nothing more.
    ClaimLost,
}

impl From<DbErr> for JobError {
    fn from(error: DbErr) -> Self {
        runtime::warn_throttled!(%error, "a job could not use the database");
        Self::Retry(failure(503, "database_unavailable", "the database did not answer"))
    }
}

/// A failure with a public message.
pub fn failure(status: u16, error: &str, message: impl Into<String>) -> Failure {
    Failure { status, error: error.to_owned(), message: message.into(), retry_after: None }
}
