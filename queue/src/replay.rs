//! Running a failed job again, the same way for guilds and for operators.

use entities::bulk_sync::Standing;
use entities::job::{Model, State, lifecycle, outbox};
use entities::{JobId, Timestamp};
use sea_orm::{DatabaseTransaction, DbErr};

use crate::bulk_sync;

/// What asking for another run came to. Only [`Replay::Queued`] has changed anything.
#[derive(Debug, Clone, PartialEq)]
pub enum Replay {
    /// It has a fresh set of attempts, and its history. After the commit, [`crate::Queue::publish`] its ticket; else the
    /// relay does, a second later.
    Queued(Box<Model>),
    /// It is in this state, and only failed and dead jobs are run again.
    NotFailed(State),
    /// It is a chunk of this job, which is the one to be run again.
    PartOf(JobId),
    /// This unfinished job does the same: two at once would break the promise its dedupe key makes.
    Twin(JobId),
    /// It is a sync of all members, and the guild's quota of those is used up (decisions 3).
    OverQuota(Standing),
}

/// Queues a failed or dead job again.
pub async fn replay(transaction: &DatabaseTransaction, job: &Model, now: Timestamp) -> Result<Replay, DbErr> {
    if let Some(parent) = job.parent_id {
        return Ok(Replay::PartOf(parent));
    }
    if !matches!(job.state, State::Failed | State::Dead) {
        return Ok(Replay::NotFailed(job.state));
    }
    if let (Some(guild), Some(key)) = (job.guild_id, job.dedupe_key.as_deref()) {
        let open = lifecycle::find_open_by_dedupe_key(transaction, guild, &job.kind, key).await?;
        if let Some(twin) = open.filter(|open| open.job_id != job.job_id) {
            return Ok(Replay::Twin(twin.job_id));
        }
    }
    let window = bulk_sync::window_of(transaction, job, now).await?;
    if let Some((_, used_up)) = window.filter(|(_, standing)| standing.is_used_up()) {
        return Ok(Replay::OverQuota(used_up));
    }
    let Some(mut queued) = outbox::replay(transaction, job.job_id, now).await? else {
        // Somebody else was faster: by now it is queued.
        return Ok(Replay::NotFailed(State::Queued));
    };
    if let Some(window) = window {
        bulk_sync::take_again(transaction, window, job).await?;
        queued.result = None;
    }
    Ok(Replay::Queued(Box::new(queued)))
}
