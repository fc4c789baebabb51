//! Undoing a sync of all members within an hour of its end (docs/rules.md 5).

use chrono::TimeDelta;
use entities::audit_entry::{Actor, NewEntry};
use entities::follow;
use entities::job::Model;
use entities::job::listing::{self, Filter};
use entities::{GuildId, JobId, Page, Timestamp};
use queue::{Draft, Enqueued, Payload, Queue, QueueError};
use runtime::UnitOfWork;
use sea_orm::{ConnectionTrait, DbErr};
use serde_json::json;

use crate::bulk_sync::{SyncAll, UndoSync};

/// From the end of the run.
pub const POSSIBLE_FOR: TimeDelta = TimeDelta::hours(1);
/// Undos among which the one of a run is looked for.
const UNDOS_READ: u64 = 50;

/// Why a job is not undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    /// It is no sync of all members, or it is a preview, or it has not ended.
    NoRun,
    ChangedNobody,
    TooLate,
    /// By this job.
    Undone(JobId),
}

/// Whether the run can be undone now.
pub async fn check<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    run: &Model,
    now: Timestamp,
) -> Result<Option<Problem>, DbErr> {
    let is_run = run.kind == SyncAll::KIND && run.guild_id == Some(guild);
    let result = run.result.as_ref().filter(|result| is_run && result["dry_run"].is_null());
    let (Some(result), Some(ended)) = (result, run.finished_at) else { return Ok(Some(Problem::NoRun)) };
    if result["writes"].as_i64().unwrap_or(0) == 0 {
        return Ok(Some(Problem::ChangedNobody));
    }
    if ended + POSSIBLE_FOR < now {
        return Ok(Some(Problem::TooLate));
    }
    let filter = Filter { guild: Some(guild), kind: Some(UndoSync::KIND), ..Filter::default() };
    let undos = listing::list(conn, filter, Page::first(UNDOS_READ), now).await?;
    let key = dedupe_key(run.job_id);
    let of_run = |undo: &&Model| undo.dedupe_key.as_deref() == Some(&key);
    Ok(undos.iter().find(of_run).map(|undo| Problem::Undone(undo.job_id)))
}

fn dedupe_key(run: JobId) -> String {
    run.to_string()
}

/// Enqueues the undo. Automatic syncs would do the same again, so they wait until somebody lets them go on, and the pass that
/// is under way ends.
pub async fn enqueue(
    queue: &Queue,
    work: &mut UnitOfWork,
    payload: &UndoSync,
    actor: Actor,
) -> Result<Enqueued, QueueError> {
    let (guild, now) = (payload.guild, work.now());
    let row = follow::lock(work.tx(), guild, now).await?;
    let is_ended = match row.job_id {
        Some(pass) => end_pass(queue, work, guild, pass, &actor).await?,
        None => false,
    };
    let job_id = row.job_id.filter(|_| !is_ended);
    let draft = Draft::new(guild, payload, actor)?.once(&dedupe_key(payload.run));
    let enqueued = draft.enqueue(work).await?;
    let stopped = Some(format!("sync {} was undone", payload.run));
    follow::save(work.tx(), follow::Model { stopped, job_id, ..row }).await?;
    Ok(enqueued)
}

/// False: it has ended, which is still to be noted.
async fn end_pass(
    queue: &Queue,
    work: &mut UnitOfWork,
    guild: GuildId,
    pass: JobId,
    actor: &Actor,
) -> Result<bool, DbErr> {
    let cancelled = queue.cancel(work.tx(), pass).await?;
    let Some((job, event)) = cancelled.filter(|(job, _)| job.cancel_requested) else { return Ok(false) };
    let (action, metadata) = ("jobs.cancel", json!({ "kind": job.kind }));
    work.audit(actor.clone(), NewEntry { guild, action, target: pass.to_string(), metadata });
    work.announce([event]);
    Ok(true)
}
