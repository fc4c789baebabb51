//! Cancels jobs: a queued job ends at once, a running one stops at its next step.

use entities::JobId;
use entities::job::{Model, cancel, listing};
use runtime::{Event, Transaction};
use sea_orm::DbErr;

use crate::Queue;
use crate::run::settle;

impl Queue {
    /// Cancels a job and its chunks; a chunk is cancelled with the job that it is part of. Returns that job
    /// in its new state, and the event that stops running steps at once; without it they stop at the next
    /// heartbeat of their process.
    pub async fn cancel(
        &self,
        transaction: &Transaction,
        job: JobId,
    ) -> Result<Option<(Model, Event)>, DbErr> {
        let now = self.clock.now();
        let Some(found) = listing::find_any(transaction, job).await? else { return Ok(None) };
        let whole = found.parent_id.unwrap_or(job);
        let Some(row) = cancel::request(transaction, whole, now).await? else { return Ok(None) };
        let mut jobs = settle(transaction, row, now).await?.running;
        jobs.push(whole);
        let after = listing::find_any(transaction, whole).await?;
        Ok(after.map(|after| (after, Event::JobsCancelled { jobs })))
    }
}
