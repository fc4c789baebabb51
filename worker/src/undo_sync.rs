//! `undo_sync`: puts back what a sync of all members changed, but for what somebody touched since (docs/rules.md 5). Its chunks are
//! those of the run with each change turned round, of the members whom the run changed.

use entities::job::{State, listing};
use jobs::bulk_sync::{Cause, SyncChunk, UndoSync};
use queue::Draft;
use queue::run::{Handler, JobContext, JobError, Outcome};
use serde_json::json;

use crate::errors::unwritable;
use crate::sync_chunk::changed;

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
            job.add_chunks(work.tx(), (count > 0).then_some(draft).into_iter().collect()).await?;
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
    let found = listing::child(job.database().read(), args.guild, args.run, place).await?;
    let Some(found) = found else { return Ok(None) };
    // A worker that died may have changed more than it kept; a run that went on after it has said whom.
    let is_cut =
        found.crashes > 0 || found.state == State::Dead || found.token > 0 && found.checkpoint.is_none();
    let is_unsure = found.state != State::Succeeded && is_cut;
    let chunk: SyncChunk = serde_json::from_value(found.args).map_err(unwritable)?;
    let changed = changed(found.checkpoint);
    let members = chunk.members.iter().enumerate().filter(|(index, _)| is_unsure || changed.contains(index));
    let members = members.map(|(_, planned)| planned.inverse()).collect();
    Ok(Some(SyncChunk { members, planned_at: 0, cause: Cause::Undo, ..chunk }))
}
