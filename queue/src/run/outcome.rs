//! How a run ends, as its handler says it.

use std::time::Duration;

use entities::audit_entry::NewEntry;
use entities::job::Failure;
use sea_orm::DbErr;

use crate::Draft;

/// How a run ended well.
#[derive(Debug)]
pub enum Outcome {
    /// Finished: the result for the caller, and the audit entries that commit with it.
    Done { result: serde_json::Value, audit: Vec<NewEntry> },
    /// A checkpoint is kept; the rest is for another turn. Burns no attempt.
    Yield,
    /// The plan is made: its chunks run from here on, and the last one ends this job. `counters` is an object of
    /// numbers to which each chunk's own result is added.
    FanOut { chunks: Vec<Draft>, counters: serde_json::Value, checkpoint: serde_json::Value },
}

impl Outcome {
    pub fn done(result: serde_json::Value) -> Self {
        Self::Done { result, audit: Vec::new() }
    }
}

/// How a run ended otherwise.
#[derive(Debug)]
pub enum JobError {
    /// Worth another attempt after the backoff.
    Retry(Failure),
    /// The platform is busy or stopped: try again after this pause, ±20 %. Burns no attempt.
    Snooze(Failure, Duration),
    /// Would fail again however often.
    Fail(Failure),
    /// The job was cancelled and what it did so far is kept.
    Cancelled,
    /// The job may run elsewhere: this run writes no more.
    ClaimLost,
}

impl From<DbErr> for JobError {
    fn from(error: DbErr) -> Self {
        tracing::warn!(%error, "a job could not use the database");
        Self::Retry(failure(503, "database_unavailable", "the database did not answer"))
    }
}

/// A failure in public words.
pub fn failure(status: u16, error: &str, message: impl Into<String>) -> Failure {
    Failure { status, error: error.to_owned(), message: message.into(), retry_after: None }
}
