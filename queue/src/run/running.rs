//! The claims that tasks of this process run.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use entities::JobId;
use entities::job::Claim;
use tokio_util::sync::CancellationToken;

/// The claims that tasks of this process run, each with the token that cancels its run.
#[derive(Clone, Default)]
pub(super) struct Running(Arc<Mutex<HashMap<Claim, CancellationToken>>>);

impl Running {
    /// The claim counts as running until the guard is dropped, however the run ends. `None`: a run has this claim
    /// already. The database lost its commit, and has now given the same claim again: that run goes on.
    pub(super) fn enter(&self, claim: &Claim, cancel: CancellationToken) -> Option<Entered> {
        match self.lock().entry(claim.clone()) {
            Entry::Occupied(_) => None,
            Entry::Vacant(free) => {
                free.insert(cancel);
                Some(Entered { running: self.clone(), claim: claim.clone() })
            }
        }
    }

    pub(super) fn claims(&self) -> HashSet<Claim> {
        self.lock().keys().cloned().collect()
    }

    /// Stops a run whose claim is void.
    pub(super) fn stop(&self, claim: &Claim) {
        self.lock().get(claim).inspect(|token| token.cancel());
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
