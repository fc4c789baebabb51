//! The title of a job, as on the pages of guilds; a periodic job is named by its schedule.

use entities::job::Model;
use jobs::kinds::PeriodicTask;
use people::values::{self, JOB_KINDS};
use queue::Payload;

use crate::pages::instance::schedules;

/// Kinds that guilds do not see.
const OWN_KINDS: [(&str, &str); 3] = [
    ("sync_chunk", "Chunk of a sync"),
    ("erase_account", "Erasure of an account"),
    (PeriodicTask::KIND, "Periodic task"),
];

/// The kinds that can be chosen, with their names.
pub(super) fn kinds() -> Vec<(&'static str, &'static str)> {
    // Lists do not show chunks.
    JOB_KINDS
        .into_iter()
        .chain(OWN_KINDS.into_iter().filter(|(kind, _)| *kind == PeriodicTask::KIND))
        .collect()
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
