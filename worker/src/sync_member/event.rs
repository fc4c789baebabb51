//! A sync that an event led to (docs/rules.md 5): none runs beside another of its member, and two that somebody else's changes
//! led to have a pause between them, so that no other bot and this one change a member in turn without end.

use std::time::Duration;

use chrono::TimeDelta;
use entities::{ChatId, GuildId, follow, link, synced_member};
use jobs::kinds::{SyncCause, SyncMember};
use jobs::one_waiting::runs_before;
use platforms::{ChatMember, Watched};
use queue::run::{JobContext, JobError, Outcome, failure};
use serde_json::json;

/// While another sync of the member runs.
const AFTER_ANOTHER: Duration = Duration::from_secs(1);
/// Between two repairs of one member.
const BETWEEN_REPAIRS: TimeDelta = TimeDelta::minutes(1);

/// Waits for its turn, and reads the member. `None`: there is nothing to do, because the member left, or is as a sync left
/// them, or their link has ended, or automatic syncs stopped.
pub(super) async fn begin(
    job: &JobContext,
    (guild, user): (GuildId, ChatId),
    cause: SyncCause,
    watched: &Watched,
    member: impl AsyncFnOnce() -> Result<Option<ChatMember>, JobError>,
) -> Result<Option<ChatMember>, JobError> {
    let read = job.database().read();
    if runs_before::<SyncMember>(read, guild, user, job.id()).await? {
        let failure = failure(503, "sync_running", "another sync of the member runs");
        return Err(JobError::Snooze(failure, AFTER_ANOTHER));
    }
    let Some(member) = member().await? else { return Ok(None) };
    if cause == SyncCause::Joined || job.last_checkpoint::<serde_json::Value>().is_some() {
        return Ok(Some(member));
    }
    // Somebody may have stopped it since the event: the member is as an undo wants them.
    if !follow::read(read, guild, job.now()).await?.goes_on() {
        return Ok(None);
    }
    let state = watched.state(&member.roles, member.nick.as_deref());
    let noted = synced_member::find_many(read, guild, &[user]).await?;
    if noted.iter().any(|row| row.states.explain(state, job.now())) {
        return Ok(None);
    }
    // It would wait for ever: nothing is noted of members without a link.
    if link::find_by_chat(read, guild, user).await?.is_none() {
        return Ok(None);
    }
    let work = job.begin_with_claim().await?;
    let may = synced_member::may_repair(work.tx(), guild, user, work.now(), BETWEEN_REPAIRS).await?;
    job.commit(work).await?;
    if may {
        return Ok(Some(member));
    }
    let failure = failure(503, "repaired_lately", "the member was brought in line less than a minute ago");
    Err(JobError::Snooze(failure, BETWEEN_REPAIRS.to_std().unwrap_or_default()))
}

pub(super) fn nothing_to_do() -> Outcome {
    Outcome::done(
        json!({ "added_roles": [], "removed_roles": [], "nickname_updated": false, "failed_roles": [] }),
    )
}
