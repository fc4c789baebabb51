//! The title of a job, as on the pages of guilds; a periodic job is named by its schedule.

use entities::job::Model;
use jobs::bulk_sync::SyncChunk;
use jobs::kinds::{EraseAccount, PeriodicTask};
use people::values::{self, JOB_KINDS};
use queue::Payload;

use crate::pages::instance::schedules;

/// Kinds that guilds do not see.
const OWN_KINDS: [(&str, &str); 3] = [
    (SyncChunk::KIND, "Chunk of a sync"),
    (EraseAccount::KIND, "Erasure of an account"),
    (PeriodicTask::KIND, "Periodic task"),
];

/// The kinds that can be chosen, with their names.
pub(super) fn kinds() -> Vec<(&'static str, &'static str)> {
    // Lists do not show chunks.
    JOB_KINDS.into_iter().chain(OWN_KINDS.into_iter().filter(|(kind, _)| *kind != SyncChunk::KIND)).collect()
}

pub(super) fn words(kind: &str) -> &str {
    let own = OWN_KINDS.iter().find(|(name, _)| *name == kind);
    own.map_or_else(|| values::kind(kind), |(_, words)| words)
}

pub(super) fn title(job: &Model) -> String {
    // A schedule has one open job at a time, by its name.
    match job.dedupe_key.as_deref().filter(|_| job.kind == PeriodicTask::KIND) {
        Some(schedule) => format!("Periodic: {}", schedules::title(schedule)),
        None => words(&job.kind).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_kind_has_words() {
        let named: BTreeSet<_> = JOB_KINDS.iter().chain(&OWN_KINDS).map(|(kind, _)| *kind).collect();
        assert_eq!(named, jobs::kinds::ALL.iter().map(|(kind, _)| *kind).collect());
        assert_eq!(kinds().len(), named.len() - 1, "all but chunks can be chosen");
    }
}
