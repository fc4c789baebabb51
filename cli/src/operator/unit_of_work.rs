//! A change and its effects: one transaction with its audit entries, and the events that follow its commit.
//!
//! So running processes are notified of a change if and only if it was committed.

use std::time::Duration;

use anyhow::Context as _;
use entities::audit_entry::{self, Actor, NewEntry};
use entities::job::Model;
use entities::{GuildId, JobId, Timestamp};
use queue::Queue;
use runtime::{Context, Event};
use sea_orm::{ConnectionTrait, DatabaseTransaction, DbErr};
use serde_json::Value;

use crate::output;

/// How long a command waits for its events to be sent.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

pub(crate) struct UnitOfWork {
    context: Context,
    transaction: DatabaseTransaction,
    now: Timestamp,
    events: Vec<Event>,
    cancelled: Option<(Queue, JobId)>,
}

impl UnitOfWork {
    pub(crate) async fn begin(context: Context) -> anyhow::Result<Self> {
        let (transaction, now) = (context.database.begin().await?, context.clock.now());
        Ok(Self { context, transaction, now, events: Vec::new(), cancelled: None })
    }

    pub(crate) fn tx(&self) -> &DatabaseTransaction {
        &self.transaction
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.now
    }

    /// Whether running processes are notified at once.
    pub(crate) fn notifies(&self) -> bool {
        self.context.redis.is_some()
    }

    pub(crate) async fn audit(
        &self,
        guild: GuildId,
        action: &'static str,
        target: impl ToString,
        metadata: Value,
    ) -> Result<(), DbErr> {
        let target = target.to_string();
        let entry = NewEntry { guild, action, target, metadata };
        audit(&self.transaction, entry, self.now).await
    }

    pub(crate) fn announce(&mut self, events: impl IntoIterator<Item = Event>) {
        self.events.extend(events);
    }

    /// Cancels a job and returns it as it is then. Its workers are notified after the commit.
    pub(crate) async fn cancel(&mut self, job: JobId) -> anyhow::Result<Model> {
        let queue = Queue::embedded(&self.context);
        let cancelled = queue.cancel(&self.transaction, job).await?.context("the job no longer exists")?;
        self.cancelled = Some((queue, job));
        Ok(cancelled)
    }

    /// Commits the change, performs its effects and closes the database.
    pub(crate) async fn commit(self) -> anyhow::Result<()> {
        self.transaction.commit().await?;
        if let Some((queue, job)) = self.cancelled {
            queue.announce_cancel(job).await?;
        }
        let notifies = self.context.redis.is_some() && !self.events.is_empty();
        for event in self.events {
            self.context.events.publish(event);
        }
        if notifies && !self.context.events.flush(FLUSH_TIMEOUT).await {
            output::note(
                "note: Redis did not accept the events; running processes will notice the change late",
            );
        }
        self.context.close().await;
        Ok(())
    }
}

/// Writes the audit entry of a change made by the service, from the command line. `metadata` is an object.
pub(crate) async fn audit<C: ConnectionTrait>(
    conn: &C,
    mut entry: NewEntry,
    now: Timestamp,
) -> Result<(), DbErr> {
    entry.metadata["by"] = "command line".into();
    audit_entry::write(conn, &Actor::service(), entry, now).await.map(drop)
}
