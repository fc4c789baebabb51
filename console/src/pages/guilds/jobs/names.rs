//! Names and marks of jobs for people.

use entities::Timestamp;
use entities::job::listing::FOLLOW_KEY;
use entities::job::{Model, Status};
use jobs::follow::WAITS;
use people::values;
use serde_json::Value;

/// How a state is marked: the colour's name and the word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::pages::guilds) struct Mark {
    pub(in crate::pages::guilds) kind: &'static str,
    pub(in crate::pages::guilds) word: &'static str,
}

impl Mark {
    pub(in crate::pages::guilds) fn of_job(job: &Model, now: Timestamp) -> Self {
        let waits = job.failure().is_some_and(|failure| failure.error == WAITS);
        match job.status(now) {
            Status::Retrying if waits => Self::of(Status::Queued),
            status => Self::of(status),
        }
    }

    pub(in crate::pages::guilds) fn of(status: Status) -> Self {
        let (kind, word) = match status {
            Status::Succeeded => ("good", "succeeded"),
            Status::Failed => ("bad", "failed"),
            Status::Dead => ("bad", "dead"),
            Status::Retrying => ("warning", "tries again"),
            Status::Running => ("info", "running"),
            Status::Waiting => ("info", "under way"),
            Status::Scheduled => ("quiet", "scheduled"),
            Status::Queued => ("quiet", "waits for its turn"),
            Status::Cancelled => ("quiet", "cancelled"),
        };
        Self { kind, word }
    }
}

/// What the job does, in a few words. Lists have no arguments; a preview is known by its result there.
pub(in crate::pages::guilds) fn title(job: &Model) -> String {
    if is_preview(job) {
        "Preview of a sync".to_owned()
    } else if job.dedupe_key.as_deref() == Some(FOLLOW_KEY) {
        "Automatic sync".to_owned()
    } else {
        values::kind(&job.kind).to_owned()
    }
}

/// The same, with the name of the person.
pub(super) fn title_about(job: &Model, who: &str) -> String {
    match job.kind.as_str() {
        "sync_member" => format!("Sync of {who}"),
        "unlink_member" => format!("Take away what a link gave {who}"),
        "assign_role" => format!("Give a role to {who}"),
        "remove_role" => format!("Take a role from {who}"),
        "create_ticket" => format!("Ticket for {who}"),
        "mirror_ban" => format!("Bans of {who}, carried over to Discord"),
        "follow_ban" => format!("Bans of {who}, taken over from Discord"),
        "greet_member" => format!("Welcome of {who}"),
        _ => title(job),
    }
}

pub(in crate::pages::guilds) fn is_preview(job: &Model) -> bool {
    let says = |json: &Value| json["dry_run"] == Value::Bool(true);
    job.kind == "sync_all" && (says(&job.args) || job.result.as_ref().is_some_and(says))
}
