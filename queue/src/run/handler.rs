//! What a kind of job does, and what it may say about how that went.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use entities::audit_entry::NewEntry;
use entities::job::{Class, Failure};
use sea_orm::DbErr;

use super::JobContext;
use crate::{Draft, Payload};

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
    /// The platform is busy or stopped: goes on after this pause, give or take a fifth. Burns no attempt.
    Snooze(Failure, Duration),
    /// Would fail again however often.
    Fail(Failure),
    /// The job was cancelled and what it did so far is kept.
    Cancelled,
    /// The job may run elsewhere: nothing more is written.
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

/// One kind of job. `run` must be idempotent: a run can be cut at any await and be started again.
#[async_trait]
pub trait Handler: Send + Sync + 'static {
    type Payload: Payload;

    async fn run(&self, job: &JobContext, payload: Self::Payload) -> Result<Outcome, JobError>;
}

#[async_trait]
pub(super) trait AnyHandler: Send + Sync {
    async fn run(&self, job: &JobContext) -> Result<Outcome, JobError>;
    fn time_limit(&self) -> Duration;
}

struct Erased<H>(H);

#[async_trait]
impl<H: Handler> AnyHandler for Erased<H> {
    async fn run(&self, job: &JobContext) -> Result<Outcome, JobError> {
        let payload = serde_json::from_value(job.args().clone()).map_err(|error| {
            tracing::error!(job.id = %job.id(), %error, "the arguments of a job do not fit its kind");
            JobError::Fail(failure(500, "internal", "the job's arguments cannot be read by this version"))
        })?;
        self.0.run(job, payload).await
    }

    fn time_limit(&self) -> Duration {
        H::Payload::TIME_LIMIT
    }
}

/// All kinds of job this process runs.
#[derive(Clone, Default)]
pub struct Registry {
    handlers: HashMap<&'static str, (Class, Arc<dyn AnyHandler>)>,
}

impl Registry {
    #[must_use]
    pub fn with<H: Handler>(mut self, handler: H) -> Self {
        self.handlers.insert(H::Payload::KIND, (H::Payload::CLASS, Arc::new(Erased(handler))));
        self
    }

    pub(super) fn find(&self, kind: &str) -> Option<(Class, Arc<dyn AnyHandler>)> {
        self.handlers.get(kind).map(|(class, handler)| (*class, Arc::clone(handler)))
    }

    pub(super) fn knows(&self, kind: &str) -> bool {
        self.handlers.contains_key(kind)
    }

    pub fn kinds(&self) -> impl Iterator<Item = &'static str> {
        self.handlers.keys().copied()
    }
}
