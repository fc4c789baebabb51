//! Retries a job, for guilds and operators alike: a failed job runs again, and a job that waits for its next attempt
//! becomes due now.

use entities::bulk_sync::Standing;
use entities::job::{Model, State, insert, retry};
use entities::{JobId, Timestamp};
use runtime::Transaction;
use sea_orm::DbErr;

use crate::bulk_sync;

/// The result of a retry request. Only [`Retry::Queued`] changed the job.
#[derive(Debug, Clone, PartialEq)]
pub enum Retry {
    /// A failed or dead job with a fresh set of attempts, or a waiting one that is due now. After the commit,
    /// [`crate::Queue::publish`] its message; else the safety net finds it.
    Queued(Box<Model>),
    /// The job has not failed and does not wait for its next attempt.
    NotFailed(State),
    /// The job is a chunk of this job: retry the parent.
    PartOf(JobId),
    /// This unfinished job has the same dedupe key, of which only one may be open.
    Duplicate(JobId),
    /// The job is a sync of all members, and the guild's quota of those is used up (docs/rules.md 3).
    OverQuota(Standing),
}

pub async fn retry(transaction: &Transaction, job: &Model, now: Timestamp) -> Result<Retry, DbErr> {
    if let Some(parent) = job.parent_id {
        return Ok(Retry::PartOf(parent));
    }
    match job.state {
        State::Queued => {
            let due = retry::make_due(transaction, job.job_id, now).await?;
            Ok(due.map_or(Retry::NotFailed(State::Queued), |row| Retry::Queued(Box::new(row))))
        }
        State::Failed | State::Dead => restart(transaction, job, now).await,
        State::Held | State::Running | State::Waiting | State::Succeeded | State::Cancelled => {
            Ok(Retry::NotFailed(job.state))
        }
    }
}

async fn restart(transaction: &Transaction, job: &Model, now: Timestamp) -> Result<Retry, DbErr> {
    if let Some(key) = job.dedupe_key.as_deref() {
        let open = insert::find_open_by_dedupe_key(transaction, job.guild_id, &job.kind, key).await?;
        if let Some(other) = open.filter(|open| open.job_id != job.job_id) {
            return Ok(Retry::Duplicate(other.job_id));
        }
    }
    let window = bulk_sync::window_of(transaction, job, now).await?;
    if let Some((_, used_up)) = window.filter(|(_, standing)| standing.is_used_up()) {
        return Ok(Retry::OverQuota(used_up));
    }
    let Some(mut queued) = retry::restart(transaction, job.job_id, now).await? else {
        // A concurrent caller has queued it already.
        return Ok(Retry::NotFailed(State::Queued));
    };
    if let Some((guild, standing)) = window {
        bulk_sync::take_again(transaction, guild, standing, job).await?;
        queued.result = None;
    }
    Ok(Retry::Queued(Box::new(queued)))
}
