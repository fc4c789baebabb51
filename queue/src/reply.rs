//! The answer to a job, and the callers of this process that wait for one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use entities::JobId;
use entities::job::{Failure, Model, State};
use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;

/// The end of a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Answer {
    Succeeded(serde_json::Value),
    Failed(Failure),
    Cancelled,
}

impl Answer {
    /// `None` while the job is open.
    pub fn of(job: &Model) -> Option<Self> {
        match job.state {
            State::Succeeded => Some(Self::Succeeded(job.result.clone().unwrap_or_default())),
            State::Cancelled => Some(Self::Cancelled),
            State::Failed | State::Dead => Some(Self::Failed(job.failure().unwrap_or_else(unexplained))),
            State::Queued | State::Held | State::Running | State::Waiting => None,
        }
    }
}

fn unexplained() -> Failure {
    Failure {
        status: 500,
        error: "internal".to_owned(),
        message: "the job failed without a reason".to_owned(),
        retry_after: None,
    }
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Waiters(Arc<Mutex<HashMap<JobId, oneshot::Sender<Answer>>>>);

impl Waiters {
    /// Waits for the answer to `job`; dropping the guard ends the wait.
    pub(crate) fn register(&self, job: JobId) -> Waiting {
        let (sender, receiver) = oneshot::channel();
        self.lock().insert(job, sender);
        Waiting { waiters: self.clone(), job, receiver }
    }

    /// Hands the answer to the waiting caller, if any.
    pub(crate) fn resolve(&self, job: JobId, answer: Answer) {
        if let Some(sender) = self.lock().remove(&job) {
            // The receiver may have been dropped at this moment: its caller reads the row.
            drop(sender.send(answer));
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<JobId, oneshot::Sender<Answer>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) struct Waiting {
    waiters: Waiters,
    job: JobId,
    pub(crate) receiver: oneshot::Receiver<Answer>,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.waiters.lock().remove(&self.job);
    }
}
