//! The claims that tasks of this process run.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use entities::JobId;
use entities::job::Claim;
use tokio_util::sync::CancellationToken;

/// The claims that tasks of this process run, each with the token that cancels its run.
#[derive(Clone, Default)]
pub(super) struct Running(Arc<Mutex<HashMap<Claim, CancellationToken>>>);

impl Running {
    /// The claim counts as running until the guard is dropped, however the run ends.
    pub(super) fn enter(&self, claim: Claim, cancel: CancellationToken) -> Entered {
        self.lock().insert(claim, cancel);
        Entered { running: self.clone(), claim }
    }

    pub(super) fn has(&self, claim: Claim) -> bool {
        self.lock().contains_key(&claim)
    }

    pub(super) fn cancel(&self, job: JobId) {
        self.lock().iter().filter(|(claim, _)| claim.job == job).for_each(|(_, token)| token.cancel());
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Claim, CancellationToken>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) struct Entered {
    running: Running,
    claim: Claim,
}

impl Drop for Entered {
    fn drop(&mut self) {
        self.running.lock().remove(&self.claim);
    }
}
