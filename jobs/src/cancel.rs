//! Cancels a job, and notes that on what waits for it.

use entities::JobId;
use entities::job::Model;
use entities::sanction::mirror;
use queue::{Payload, Queue};
use runtime::{Event, Transaction};
use sea_orm::DbErr;

use crate::mirror::{CANCELLED, MirrorBan};

/// See [`Queue::cancel`]. A mirror job that runs, and makes its copy all the same, notes that later.
pub async fn cancel(
    queue: &Queue,
    transaction: &Transaction,
    job: JobId,
) -> Result<Option<(Model, Event)>, DbErr> {
    let cancelled = queue.cancel(transaction, job).await?;
    if let Some((Model { job_id, guild_id: Some(guild), kind, .. }, _)) = &cancelled
        && kind == MirrorBan::KIND
    {
        mirror::give_up(transaction, *guild, *job_id, CANCELLED).await?;
    }
    Ok(cancelled)
}
