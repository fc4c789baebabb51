//! Enqueues a sync of all members, for HTTP and the command line: the job and its quota use commit together.

use entities::audit_entry::Actor;
use entities::bulk_sync::{self, Kind, Standing};
use entities::job::{Model, family};
use entities::{GuildId, Timestamp};
use runtime::Transaction;
use sea_orm::DbErr;

use crate::kinds::SyncAll;
use crate::{Draft, Enqueued, Payload, QueueError};

/// The result of a bulk sync request.
#[derive(Debug, Clone)]
pub enum BulkSync {
    /// The job, and the state of its quota window. A joined job is not counted again.
    Queued(Enqueued, Standing),
    /// No row was changed.
    OverQuota(Standing),
}

impl SyncAll {
    /// At most one unfinished job has this key.
    fn dedupe_key(&self) -> &'static str {
        if self.dry_run { "dry" } else { "all" }
    }
}

/// Enqueues a bulk sync of `members` members if the guild's quota allows it. The guild stays locked until the
/// transaction ends.
pub async fn enqueue_bulk_sync(
    transaction: &Transaction,
    payload: &SyncAll,
    actor: Actor,
    members: u64,
    now: Timestamp,
) -> Result<BulkSync, QueueError> {
    let standing = bulk_sync::lock(transaction, payload.guild, Kind::of(payload.dry_run), now).await?;
    if standing.is_used_up() {
        return Ok(BulkSync::OverQuota(standing));
    }
    let draft = Draft::new(payload.guild, payload, actor)?.once(payload.dedupe_key());
    let draft = draft.total(i64::try_from(members).unwrap_or(i64::MAX));
    let enqueued = draft.enqueue(transaction, now).await?;
    let standing = if enqueued.joined {
        standing
    } else {
        bulk_sync::take(transaction, payload.guild, standing, enqueued.job).await?
    };
    Ok(BulkSync::Queued(enqueued, standing))
}

/// The window that a retry of this job would use; `None` if the job is no bulk sync. The guild stays locked.
pub(crate) async fn window_of(
    transaction: &Transaction,
    job: &Model,
    now: Timestamp,
) -> Result<Option<(GuildId, Standing)>, DbErr> {
    let Some(guild) = job.guild_id.filter(|_| job.kind == SyncAll::KIND) else { return Ok(None) };
    let dry_run = job.args["dry_run"].as_bool().unwrap_or(false);
    Ok(Some((guild, bulk_sync::lock(transaction, guild, Kind::of(dry_run), now).await?)))
}

/// Counts another run of the job.
pub(crate) async fn take_again(
    transaction: &Transaction,
    guild: GuildId,
    standing: Standing,
    job: &Model,
) -> Result<(), DbErr> {
    // Only the new run's changes count.
    family::set_result(transaction, job.job_id, None).await?;
    bulk_sync::take(transaction, guild, standing, job.job_id).await?;
    Ok(())
}
