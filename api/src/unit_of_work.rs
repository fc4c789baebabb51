//! A change and its effects. The transaction collects writes (audit entries, jobs, the response for an idempotency key)
//! and effects (events, messages to workers); [`UnitOfWork::commit`] performs them in order.
//!
//! So no effect happens without the commit, and none is forgotten after it while the process lives, and this
//! process sees the change before the response.

use entities::audit_entry::{self, Actor, NewEntry};
use entities::job::JobMessage;
use entities::{JobId, Timestamp};
use queue::{Draft, Enqueued};
use runtime::{Event, Events, Transaction};
use serde_json::Value;

use crate::call::Call;
use crate::response::error::ApiError;
use crate::response::reply::Reply;

pub(crate) struct UnitOfWork<'c> {
    call: &'c Call,
    transaction: Transaction,
    now: Timestamp,
    audited: Vec<(Actor, NewEntry)>,
    events: Vec<Event>,
    messages: Vec<JobMessage>,
}

impl<'c> UnitOfWork<'c> {
    pub(crate) async fn begin(call: &'c Call) -> Result<Self, ApiError> {
        let transaction = call.state.context.database.begin().await?;
        let now = call.now();
        let (audited, events, messages) = Default::default();
        Ok(Self { call, transaction, now, audited, events, messages })
    }

    pub(crate) fn tx(&self) -> &Transaction {
        &self.transaction
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.now
    }

    /// Audits the change with the key's owner as actor.
    pub(crate) fn audit(&mut self, action: &'static str, target: impl ToString, metadata: Value) {
        self.audit_as(self.call.actor(), action, target, metadata);
    }

    pub(crate) fn audit_as(
        &mut self,
        actor: Actor,
        action: &'static str,
        target: impl ToString,
        metadata: Value,
    ) {
        let entry = NewEntry { guild: self.call.guild(), action, target: target.to_string(), metadata };
        self.audited.push((actor, entry));
    }

    /// Writes the event into the change log, and publishes it after the commit.
    pub(crate) fn announce(&mut self, event: Event) {
        self.events.push(event);
    }

    /// Publishes jobs, already inserted in this transaction, after the commit.
    pub(crate) fn publish(&mut self, messages: impl IntoIterator<Item = JobMessage>) {
        self.messages.extend(messages);
    }

    /// Inserts the job that produces this response; [`commit_job`](Self::commit_job) returns it for waiting.
    pub(crate) async fn enqueue(&self, draft: Draft) -> Result<Enqueued, ApiError> {
        let enqueued = draft.enqueue(&self.transaction, self.now).await?;
        self.answered_by(enqueued.job).await?;
        Ok(enqueued)
    }

    /// Repeats under the same idempotency key wait for this job.
    pub(crate) async fn answered_by(&self, job: JobId) -> Result<(), ApiError> {
        match &self.call.idempotency {
            Some(slot) => slot.attach(&self.transaction, job).await,
            None => Ok(()),
        }
    }

    /// Commits the change with the stored response for repeats of this request, and performs the effects.
    pub(crate) async fn commit(self, mut reply: Reply) -> Result<Reply, ApiError> {
        self.keep(self.call, &mut reply).await?;
        self.finish().await?;
        Ok(reply)
    }

    /// Stores the response for repeats of a call that this change serves.
    pub(crate) async fn keep(&self, call: &Call, reply: &mut Reply) -> Result<(), ApiError> {
        if let Some(slot) = &call.idempotency {
            slot.keep(&self.transaction, reply).await?;
            reply.kept = true;
        }
        Ok(())
    }

    /// Commits a change whose response a job produces.
    pub(crate) async fn commit_job(self, enqueued: Enqueued) -> Result<Enqueued, ApiError> {
        self.finish().await?;
        Ok(enqueued)
    }

    /// Commits the change, and performs the effects.
    pub(crate) async fn finish(self) -> Result<(), ApiError> {
        let state = &self.call.state;
        let (recorded, events) = Events::prepare(self.events, self.now)?;
        let mut last = audit_entry::inserts(self.audited, self.now);
        last.extend(events);
        self.transaction.commit_with(last).await?;
        state.context.events.publish(recorded);
        state.queue.publish(self.messages);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
