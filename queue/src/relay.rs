//! What the leading scheduler does for the queue: publish what was missed, promote what is due, take back what a dead
//! worker held, ring again for what a broker lost. All of it is safe to do twice.

use std::sync::Arc;
use std::time::Duration;

use entities::Timestamp;
use entities::job::loss::{self, Sign};
use entities::job::{Class, Model, cancel, listing, outbox};
use futures_util::StreamExt;
use sea_orm::DbErr;

use crate::broker::Forget;
use crate::{Queue, settle};

/// A fresh job gets this long to be published by whoever enqueued it.
const GRACE: Duration = Duration::from_secs(1);
/// A published job that waits this long while its queue is empty, or while jobs run that were queued this much later,
/// has been lost by the broker.
const LOST_AFTER: Duration = Duration::from_secs(60);
/// Longer than any lease.
const ANY_LEASE: Duration = Duration::from_secs(24 * 60 * 60);
/// Rows moved in one pass.
const BATCH: u64 = 1_000;
/// Publishes in flight at a time.
const PUBLISHING: usize = 64;

/// What the broker calls before it makes the queue of a class that was not there: whatever rows say was published to
/// it, the relay publishes again.
pub(crate) fn forget(context: &runtime::Context) -> Forget {
    let (database, clock) = (context.database.clone(), context.clock.clone());
    Arc::new(move |class| {
        let (database, now) = (database.clone(), clock.now());
        Box::pin(async move {
            let forgotten = outbox::unmark_published(database.write(), class, now).await;
            let jobs = forgotten.map_err(|error| error.to_string())?;
            if jobs > 0 {
                let class = class.name();
                tracing::warn!(class, jobs, "the broker has lost its queue: its jobs are published again");
            }
            Ok(())
        })
    })
}

impl Queue {
    /// Publishes queued jobs that no broker has confirmed; returns how many it had to and could.
    pub async fn relay_unpublished(&self) -> Result<u64, DbErr> {
        let before = self.clock.now() - GRACE;
        self.publish_outbox(before).await
    }

    async fn publish_outbox(&self, before: Timestamp) -> Result<u64, DbErr> {
        if !self.broker.is_connected() {
            return Ok(0);
        }
        let tickets = outbox::unpublished(self.database.read(), before, BATCH).await?;
        let published = futures_util::stream::iter(tickets)
            .map(|ticket| {
                let queue = self.clone();
                async move { queue.publish_one(&ticket, false).await }
            })
            .buffer_unordered(PUBLISHING)
            .filter(|published| std::future::ready(*published))
            .count()
            .await;
        Ok(published as u64)
    }

    /// Queues retries and scheduled jobs whose time has come, and rings for them.
    pub async fn promote_due(&self) -> Result<u64, DbErr> {
        let now = self.clock.now();
        let tickets = outbox::promote_due(self.database.write(), now, BATCH).await?;
        let count = tickets.len() as u64;
        self.publish(tickets);
        Ok(count)
    }

    /// Takes back jobs whose lease has run out: queued again, or dead when that was the last attempt.
    pub async fn take_back_expired(&self) -> Result<u64, DbErr> {
        self.take_back_before(self.clock.now()).await
    }

    /// At the start of an embedded process, which is the only one on its data: whatever is said to run is not running.
    pub async fn take_back_all(&self) -> Result<u64, DbErr> {
        self.take_back_before(self.clock.now() + ANY_LEASE).await
    }

    async fn take_back_before(&self, expired_before: Timestamp) -> Result<u64, DbErr> {
        let mut count = 0;
        for job in loss::expired(self.database.read(), expired_before, BATCH).await? {
            if let Some(next) = self.take_back(&job, Sign::LeaseEnded(expired_before)).await? {
                count += 1;
                self.publish(next);
            }
        }
        Ok(count)
    }

    /// Rings again for published jobs that the broker does not hold any more: it was wiped, or set messages aside.
    pub async fn recover_lost(&self) -> Result<u64, DbErr> {
        let now = self.clock.now();
        let mut count = 0;
        for class in Class::ALL {
            let lost_before = match self.broker.depth(class).await {
                Some(0) => Some(now - LOST_AFTER),
                // Messages come about in their order: whatever still waits was overtaken.
                Some(_) => outbox::newest_running(self.database.read(), class)
                    .await?
                    .map(|newest| newest - LOST_AFTER),
                None => None,
            };
            if let Some(before) = lost_before {
                count += outbox::unmark_published(self.database.write(), class, before).await?;
            }
        }
        Ok(count)
    }

    /// After a broker came back, or at the start of an embedded process: nothing published before counts, where the
    /// broker's queue is empty.
    pub async fn recover_all(&self) -> Result<u64, DbErr> {
        let now = self.clock.now();
        let mut count = 0;
        for class in Class::ALL {
            if self.broker.depth(class).await == Some(0) {
                count += outbox::unmark_published(self.database.write(), class, now).await?;
            }
        }
        if count > 0 {
            tracing::info!(jobs = count, "ringing again for jobs the broker does not hold");
        }
        Ok(count)
    }

    /// Cancels a job and its chunks: what has not begun ends now, what runs is told to stop at its next step.
    pub async fn cancel(
        &self,
        transaction: &sea_orm::DatabaseTransaction,
        job: entities::JobId,
    ) -> Result<Option<Model>, DbErr> {
        let now = self.clock.now();
        let Some(row) = cancel::request(transaction, job, now).await? else { return Ok(None) };
        settle::finish_parent_if_last(transaction, &row, now).await?;
        listing::find_any(transaction, job).await
    }

    /// To be called after the transaction of [`Queue::cancel`] is committed: running steps hear of it at once.
    pub async fn announce_cancel(&self, job: entities::JobId) -> Result<(), DbErr> {
        let children = listing::running_children(self.database.read(), job).await?;
        for job in children.into_iter().chain([job]) {
            self.events.publish(runtime::Event::JobCancelled { job });
        }
        Ok(())
    }
}
