//! Callers of this process that wait for the answer to a job.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use entities::JobId;
use tokio::sync::oneshot;

use crate::Answer;

#[derive(Debug, Clone, Default)]
pub(crate) struct Waiters(Arc<Mutex<HashMap<JobId, oneshot::Sender<Answer>>>>);

impl Waiters {
    /// Waits for the answer to `job` from now on; the wait ends when the guard is dropped.
    pub(crate) fn register(&self, job: JobId) -> Waiting {
        let (sender, receiver) = oneshot::channel();
        self.lock().insert(job, sender);
        Waiting { waiters: self.clone(), job, receiver }
    }

    /// Hands the answer to whoever waits for it; nobody may.
    pub(crate) fn resolve(&self, job: JobId, answer: Answer) {
        if let Some(sender) = self.lock().remove(&job) {
            // The receiver may have given up in this moment: it reads the row then.
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
