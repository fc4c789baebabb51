//! `undo_sync`: puts back what a sync of all members changed, but for what somebody touched since (docs/rules.md 5). Its chunks are
//! those of the run with each change turned round.

use entities::job::listing;
use jobs::bulk_sync::{Cause, PlannedChange, SyncChunk, UndoSync};
use queue::Draft;
use queue::run::{Handler, JobContext, JobError, Outcome};
use serde_json::json;

use crate::errors::unwritable;

pub(crate) struct Job;

impl Handler for Job {
    type Payload = UndoSync;

    async fn run(&self, job: &JobContext, args: UndoSync) -> Result<Outcome, JobError> {
        let (mut place, mut members): (u64, i64) = job.last_checkpoint().unwrap_or_default();
        while let Some(chunk) = chunk_of(job, &args, place).await? {
            job.check_cancelled()?;
            let count = i64::try_from(chunk.members.len()).unwrap_or(i64::MAX);
            let draft = Draft::new(args.guild, &chunk, job.actor()).map_err(unwritable)?.total(count);
            (place, members) = (place + 1, members + count);
            let work = job.begin().await?;
            job.add_chunks(work.tx(), vec![draft]).await?;
            job.checkpoint(work, &(place, members)).await?;
        }
        let mut counters = json!({ "planned": members });
        for name in ["updated", "failed", "skipped", "writes"] {
            counters[name] = json!(0);
        }
        if members == 0 {
            return Ok(Outcome::done(counters));
        }
        job.set_progress(0, members, 0);
        Ok(Outcome::FanOut { chunks: Vec::new(), counters, checkpoint: queue::begun(job.now(), 0) })
    }
}

/// The chunk of the run at this place, turned round.
async fn chunk_of(job: &JobContext, args: &UndoSync, place: u64) -> Result<Option<SyncChunk>, JobError> {
    let found = listing::child_arguments(job.database().read(), args.guild, args.run, place).await?;
    let Some(found) = found else { return Ok(None) };
    let chunk: SyncChunk = serde_json::from_value(found).map_err(unwritable)?;
    let members = chunk.members.iter().map(PlannedChange::inverse).collect();
    Ok(Some(SyncChunk { members, planned_at: 0, cause: Cause::Undo, ..chunk }))
}
