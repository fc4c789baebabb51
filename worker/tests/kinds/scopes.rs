//! Cancelling or retrying a job needs the scope of its kind, so each kind must have one.

use std::collections::BTreeSet;

use jobs::kinds::{self, PeriodicTask};
use queue::Payload;

use crate::fixture::platforms_at;

#[test]
fn every_kind_of_job_has_a_scope() {
    let platforms = platforms_at(([127, 0, 0, 1], 1).into(), None);
    let registry = worker::registry(platforms, None);
    // Schedulers run periodic tasks.
    let run: BTreeSet<_> = registry.kinds().chain([PeriodicTask::KIND]).collect();
    let listed: BTreeSet<_> = kinds::ALL.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(run, listed);
}
