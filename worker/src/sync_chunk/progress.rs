//! The progress of a chunk and the outcomes of its members: source of checkpoint, recorded failures and result.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use entities::job::Failure;
use entities::job_failure::{self, NewFailure};
use entities::{ChatId, synced_member};
use jobs::bulk_sync::{Cause, OutOfStep, PlannedChange, SyncChunk};
use jobs::linking;
use platforms::{Change, Missing, PlatformError};
use queue::run::{JobContext, JobError};
use sea_orm::prelude::Json;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::made::Made;
use crate::apply::Refusal;
use crate::errors::queue_error;

/// A checkpoint is written after this many members or this time, whichever comes first. The time estimate uses these
/// updates: at a lower rate it would be wrong for small guilds (`queue::eta`).
const CHECKPOINT_MEMBERS: usize = 50;
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(1);

/// The checkpoint: members up to `next`, and those in `ahead`, are settled.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Reached {
    next: usize,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    ahead: BTreeSet<usize>,
    updated: i64,
    failed: i64,
    skipped: i64,
    /// Changes on the platform, also of members that failed or have not ended.
    #[serde(default)]
    writes: i64,
    /// The members whom these changed, or may have.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    changed: BTreeSet<usize>,
}

/// The outcome of a member.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Member {
    Updated,
    /// No change was due any more.
    Skipped,
    Failed(NewFailure),
}

/// The effect of a finished call: on its member, or on the whole chunk.
pub(super) struct Settled {
    pub(super) member: Option<Member>,
    /// What the call changed.
    pub(super) done: Change,
    pub(super) ended: Option<JobError>,
}

pub(super) struct Progress {
    reached: Reached,
    members: usize,
    failures: Vec<NewFailure>,
    /// Since the last checkpoint.
    made: Made,
    /// Members who lack nothing of the plan any more, since the last checkpoint, and whether this run changed them.
    ended: Vec<(usize, bool)>,
    /// Writes of earlier runs.
    written: i64,
    /// Settled members and writes in the last checkpoint.
    kept: (usize, i64),
    kept_at: Instant,
    /// A run that was cut may have changed more than it kept.
    is_resumed: bool,
}

impl Progress {
    pub(super) fn resume(job: &JobContext, members: usize) -> Self {
        let progress = Self::new(job.last_checkpoint().unwrap_or_default(), members);
        Self { is_resumed: job.is_resumed(), ..progress }
    }

    fn new(reached: Reached, members: usize) -> Self {
        let reached = reached.with_changed();
        let (written, kept) = (reached.writes, (reached.settled(), reached.writes));
        Self {
            reached,
            members,
            failures: Vec::new(),
            made: Made::default(),
            ended: Vec::new(),
            written,
            kept,
            kept_at: Instant::now(),
            is_resumed: false,
        }
    }

    pub(super) fn is_settled(&self, member: usize) -> bool {
        member < self.reached.next || self.reached.ahead.contains(&member)
    }

    pub(super) fn is_complete(&self) -> bool {
        self.reached.settled() >= self.members
    }

    /// Counts a member, once.
    pub(super) fn note(&mut self, index: usize, member: Member) {
        let reached = &mut self.reached;
        reached.ahead.insert(index);
        while reached.ahead.remove(&reached.next) {
            reached.next += 1;
        }
        match member {
            Member::Updated => {
                reached.updated += 1;
                self.ended.push((index, true));
            }
            Member::Skipped => {
                reached.skipped += 1;
                self.ended.push((index, false));
            }
            Member::Failed(failure) => {
                reached.failed += 1;
                if self.is_resumed {
                    reached.changed.insert(index);
                }
                self.failures.push(failure);
            }
        }
    }

    /// Changed, or perhaps changed, where `done` is empty. With the next checkpoint the member's link is compared with the
    /// plan: a call that was under way when it ended may have come after the job of its end.
    pub(super) fn wrote(&mut self, index: usize, done: Change) {
        self.reached.changed.insert(index);
        self.made.add(index, done);
    }

    /// No change is due. In a chunk that is resumed an earlier run may have made it.
    pub(super) fn skip(&mut self, index: usize) {
        self.note(index, Member::Skipped);
        if self.is_resumed {
            self.wrote(index, Change::default());
        }
    }

    /// Records a refused part of a member whose other changes are still to be made.
    pub(super) fn refuse(&mut self, failure: NewFailure) {
        self.failures.push(failure);
    }

    pub(super) async fn keep_if_due(&mut self, job: &JobContext, chunk: &SyncChunk) -> Result<(), JobError> {
        let new = self.reached.settled() - self.kept.0;
        if new > 0 && (new >= CHECKPOINT_MEMBERS || self.kept_at.elapsed() >= CHECKPOINT_INTERVAL) {
            self.keep(job, chunk).await?;
        }
        Ok(())
    }

    /// Commits the checkpoint, the progress and the failures since the last one.
    pub(super) async fn keep(&mut self, job: &JobContext, chunk: &SyncChunk) -> Result<(), JobError> {
        let settled = self.reached.settled();
        job.set_progress(signed(settled), signed(self.members), self.reached.failed);
        self.reached.writes = self.written + job.writes();
        let reached = (settled, self.reached.writes);
        if reached == self.kept {
            return Ok(());
        }
        let mut work = job.begin().await?;
        for entry in self.made.entries(job, chunk) {
            work.audit(job.actor(), entry);
        }
        job.set_counters(self.result());
        let bulk = job.parent().unwrap_or_else(|| job.id());
        job_failure::note(work.tx(), bulk, self.failures.clone(), job.now()).await?;
        let (due, settled) = in_step(chunk, &self.ended);
        synced_member::note_due(work.tx(), chunk.guild, due, job.now()).await?;
        synced_member::settle(work.tx(), chunk.guild, &settled).await?;
        linking::correct(&mut work, chunk.guild, &self.made.members(chunk), &job.actor())
            .await
            .map_err(queue_error)?;
        job.checkpoint(work, &self.reached).await?;
        (self.kept, self.kept_at) = (reached, Instant::now());
        // Not before the commit: after a failed one the next tells all.
        self.made.clear();
        self.failures.clear();
        self.ended.clear();
        Ok(())
    }

    /// Added to the parent's counters. A member changed by an earlier, cut run counts as skipped.
    pub(super) fn result(&self) -> Value {
        let Reached { updated, failed, skipped, writes, .. } = self.reached;
        json!({ "updated": updated, "failed": failed, "skipped": skipped, "writes": writes })
    }
}

impl Reached {
    fn settled(&self) -> usize {
        self.next + self.ahead.len()
    }

    /// An older build does not say whom it changed: perhaps all that are settled.
    fn with_changed(mut self) -> Self {
        if self.writes > 0 && self.changed.is_empty() {
            self.changed = (0..self.next).chain(self.ahead.iter().copied()).collect();
        }
        self
    }
}

/// Which members a chunk with this checkpoint changed, or may have, as far as it was kept.
pub(crate) fn changed(checkpoint: Option<Json>) -> BTreeSet<usize> {
    let reached: Reached = checkpoint.and_then(|kept| serde_json::from_value(kept).ok()).unwrap_or_default();
    reached.with_changed().changed
}

/// Who is out of step now, and who no longer is. Whom a run put back lacks what that one gave.
fn in_step(chunk: &SyncChunk, ended: &[(usize, bool)]) -> (Vec<(ChatId, Json)>, Vec<ChatId>) {
    let planned = |(index, _): &(usize, bool)| &chunk.members[*index];
    if chunk.cause == Cause::Undo {
        let due = |planned: &PlannedChange| {
            let due = OutOfStep { change: planned.inverse(), refused: None };
            Some((planned.user, serde_json::to_value(due).ok()?))
        };
        let changed = ended.iter().filter(|(_, is_changed)| *is_changed);
        return (changed.map(planned).filter_map(due).collect(), Vec::new());
    }
    let whole = ended.iter().map(planned).filter(|planned| !planned.in_part);
    (Vec::new(), whole.map(|planned| planned.user).collect())
}

fn signed(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// The error code of a member's failure; `None`: the failure concerns the whole chunk.
pub(super) fn word(error: &PlatformError) -> Option<&'static str> {
    match error {
        PlatformError::NotFound(Missing::Guild | Missing::Group(_)) => None,
        PlatformError::NotFound(Missing::Role) => Some("unknown_role"),
        PlatformError::NotFound(_) => Some("not_a_member"),
        PlatformError::Forbidden { .. } => Some("platform_refused"),
        PlatformError::Invalid { .. } => Some("platform_invalid"),
        _ => None,
    }
}

pub(super) fn left_the_guild(user: ChatId) -> Member {
    failed(user, &Change::default(), &[], Some(&PlatformError::NotFound(Missing::Member)))
}

/// The failure of a member: the refused part, and the completed part.
pub(super) fn failed(
    chat: ChatId,
    done: &Change,
    refused: &[Refusal],
    error: Option<&PlatformError>,
) -> Member {
    let of_role = refused.iter().find(|refusal| refusal.role.is_some()).map(|refusal| &refusal.error);
    let word = error.or(of_role).and_then(word).unwrap_or("nickname_refused");
    let mut parts: Vec<String> = error.into_iter().map(|error| Failure::from(error).message).collect();
    parts.extend(refused.iter().map(|Refusal { role, error }| match role {
        Some(role) => format!("role {role}: {}", Failure::from(error).message),
        None => format!("nickname: {}", Failure::from(error).message),
    }));
    if !done.is_empty() {
        parts.push(format!("done: {}", told(done)));
    }
    Member::Failed(NewFailure { chat, error: word, message: parts.join("; ") })
}

fn told(done: &Change) -> String {
    let added = done.add.iter().map(|role| format!("role {role} added"));
    let removed = done.remove.iter().map(|role| format!("role {role} removed"));
    let nickname = done.nick.iter().map(|_| "nickname set".to_owned());
    added.chain(removed).chain(nickname).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
