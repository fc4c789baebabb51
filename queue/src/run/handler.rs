//! The handler of a kind of job, and the registry of kinds that a process runs.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use entities::job::Class;
use futures_util::future::BoxFuture;

use super::context::JobContext;
use super::outcome::{JobError, Outcome, failure};
use crate::Payload;

/// One kind of job. `run` must be idempotent: a run can be cut at any await and started again.
pub trait Handler: Send + Sync + 'static {
    type Payload: Payload;

    fn run(
        &self,
        job: &JobContext,
        payload: Self::Payload,
    ) -> impl Future<Output = Result<Outcome, JobError>> + Send;
}

/// A handler of any kind, which reads its arguments itself.
pub(super) trait AnyHandler: Send + Sync {
    fn run_job<'a>(&'a self, job: &'a JobContext) -> BoxFuture<'a, Result<Outcome, JobError>>;
    fn time_limit(&self) -> Duration;
    /// The class in which the job was enqueued.
    fn class(&self, job: &JobContext) -> Class;
}

impl<H: Handler> AnyHandler for H {
    fn run_job<'a>(&'a self, job: &'a JobContext) -> BoxFuture<'a, Result<Outcome, JobError>> {
        Box::pin(async {
            let payload = serde_json::from_value(job.args().clone()).map_err(|error| {
                tracing::error!(%error, "the arguments of a job do not fit its kind");
                let message = "the job's arguments cannot be read by this version";
                JobError::Fail(failure(500, "internal", message))
            })?;
            self.run(job, payload).await
        })
    }

    fn time_limit(&self) -> Duration {
        H::Payload::TIME_LIMIT
    }

    fn class(&self, job: &JobContext) -> Class {
        let own = job.row().class;
        if own != Class::Quarantine {
            return own;
        }
        let payload: Result<H::Payload, _> = serde_json::from_value(job.args().clone());
        payload.map_or(H::Payload::CLASS, |payload| Payload::class(&payload))
    }
}

/// All kinds of job this process runs.
#[derive(Clone, Default)]
pub struct Registry {
    handlers: HashMap<&'static str, Arc<dyn AnyHandler>>,
}

impl Registry {
    #[must_use]
    pub fn with<H: Handler>(mut self, handler: H) -> Self {
        self.handlers.insert(H::Payload::KIND, Arc::new(handler));
        self
    }

    pub(super) fn find(&self, kind: &str) -> Option<Arc<dyn AnyHandler>> {
        self.handlers.get(kind).cloned()
    }

    pub(super) fn knows(&self, kind: &str) -> bool {
        self.handlers.contains_key(kind)
    }

    pub fn kinds(&self) -> impl Iterator<Item = &'static str> {
        self.handlers.keys().copied()
    }
}
