//! Cancels jobs: a queued job ends at once, a running one stops at its next step.

use entities::JobId;
use entities::job::{Model, cancel, listing};
use runtime::Event;
use sea_orm::{DatabaseTransaction, DbErr};

use crate::Queue;
use crate::run::finish_parent_if_last;

impl Queue {
    /// Cancels a job and its chunks, and returns its new state.
    pub async fn cancel(
        &self,
        transaction: &DatabaseTransaction,
        job: JobId,
    ) -> Result<Option<Model>, DbErr> {
        let now = self.clock.now();
        let Some(row) = cancel::request(transaction, job, now).await? else { return Ok(None) };
        finish_parent_if_last(transaction, &row, now).await?;
        listing::find_any(transaction, job).await
    }

    /// Call it after the commit of [`Queue::cancel`] to cancel running steps at once. Otherwise they stop at the next
    /// heartbeat of their process.
    pub async fn announce_cancel(&self, job: JobId) -> Result<(), DbErr> {
        let children = listing::running_children(self.database.read(), job).await?;
        for job in children.into_iter().chain([job]) {
            self.events.publish(Event::JobCancelled { job });
        }
        Ok(())
    }
}
