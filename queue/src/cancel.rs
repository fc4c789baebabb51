//! Cancels jobs: a queued job ends at once, a running one stops at its next step.

use entities::JobId;
use entities::job::{Model, cancel, listing};
use runtime::{Event, Transaction};
use sea_orm::DbErr;

use crate::Queue;
use crate::run::{finish_parent_if_last, stop_children};

impl Queue {
    /// Cancels a job and its chunks. Returns its new state, and the event that stops running steps at once; without it
    /// they stop at the next heartbeat of their process.
    pub async fn cancel(
        &self,
        transaction: &Transaction,
        job: JobId,
    ) -> Result<Option<(Model, Event)>, DbErr> {
        let now = self.clock.now();
        let Some(mut row) = cancel::request(transaction, job, now).await? else { return Ok(None) };
        stop_children(transaction, &mut row, now).await?;
        finish_parent_if_last(transaction, &row, now).await?;
        let after = listing::find_any(transaction, job).await?;
        let mut jobs = listing::running_children(transaction, job).await?;
        jobs.push(job);
        Ok(after.map(|after| (after, Event::JobsCancelled { jobs })))
    }
}
