//! A change by a call of the API: its audit entries name the caller, and repeats of the call get its response.

use std::ops::{Deref, DerefMut};

use entities::audit_entry::{Actor, NewEntry};
use entities::{GuildId, JobId};
use jobs::kinds::CatchUp;
use queue::{Draft, Enqueued};
use serde_json::Value;
use tracing::{Span, field};

use crate::call::Call;
use crate::response::error::ApiError;
use crate::response::idempotency_slot::IdempotencySlot;
use crate::response::reply::Reply;
use crate::state::State;

pub(crate) struct UnitOfWork<'c> {
    state: &'c State,
    guild: GuildId,
    actor: Actor,
    idempotency: Option<&'c IdempotencySlot>,
    work: runtime::UnitOfWork,
}

impl Deref for UnitOfWork<'_> {
    type Target = runtime::UnitOfWork;

    fn deref(&self) -> &Self::Target {
        &self.work
    }
}

impl DerefMut for UnitOfWork<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.work
    }
}

impl<'c> UnitOfWork<'c> {
    pub(crate) async fn begin(call: &'c Call) -> Result<Self, ApiError> {
        let (actor, idempotency) = (call.actor(), call.idempotency.as_ref());
        Ok(Self { actor, idempotency, ..Self::of_guild(&call.state, call.guild()).await? })
    }

    /// Of several requests, each with an actor and an idempotency key of its own.
    pub(crate) async fn of_guild(state: &'c State, guild: GuildId) -> Result<Self, ApiError> {
        let work = runtime::UnitOfWork::begin(&state.context).await?;
        Ok(Self { state, guild, actor: Actor::service(), idempotency: None, work })
    }

    /// Audits the change with the key's owner as actor.
    pub(crate) fn audit(&mut self, action: &'static str, target: impl ToString, metadata: Value) {
        self.audit_as(self.actor.clone(), action, target, metadata);
    }

    pub(crate) fn audit_as(
        &mut self,
        actor: Actor,
        action: &'static str,
        target: impl ToString,
        metadata: Value,
    ) {
        let entry = NewEntry { guild: self.guild, action, target: target.to_string(), metadata };
        self.work.audit(actor, entry);
    }

    /// Entries that the tables word, by the caller.
    pub(crate) fn audit_all(&mut self, entries: impl IntoIterator<Item = NewEntry>) {
        entries.into_iter().for_each(|entry| self.work.audit(self.actor.clone(), entry));
    }

    /// Inserts the job that produces this response; [`commit_job`](Self::commit_job) returns it for waiting.
    pub(crate) async fn insert_job(&self, draft: Draft) -> Result<Enqueued, ApiError> {
        let enqueued = draft.insert(self.tx(), self.now()).await?;
        self.answered_by(enqueued.job).await?;
        Ok(enqueued)
    }

    pub(crate) async fn look_at_members(&mut self) -> Result<(), ApiError> {
        Ok(CatchUp::of_all(&mut self.work, self.guild, self.actor.clone()).await?)
    }

    /// Repeats under the same idempotency key wait for this job.
    pub(crate) async fn answered_by(&self, job: JobId) -> Result<(), ApiError> {
        match self.idempotency {
            Some(slot) => slot.attach(self.tx(), job).await,
            None => Ok(()),
        }
    }

    /// Commits the change with the stored response for repeats of this request, and performs the effects.
    pub(crate) async fn commit(self, mut reply: Reply) -> Result<Reply, ApiError> {
        self.keep(self.idempotency, &mut reply).await?;
        self.finish().await?;
        Ok(reply)
    }

    /// Stores the response for repeats of a request that this change serves.
    pub(crate) async fn keep(
        &self,
        idempotency: Option<&IdempotencySlot>,
        reply: &mut Reply,
    ) -> Result<(), ApiError> {
        if let Some(slot) = idempotency {
            slot.keep(self.tx(), reply).await?;
            reply.kept = true;
        }
        Ok(())
    }

    /// Commits a change whose response a job produces.
    pub(crate) async fn commit_job(self, enqueued: Enqueued) -> Result<Enqueued, ApiError> {
        self.state.queue.publish(self.work.commit().await?);
        note(enqueued.job);
        Ok(enqueued)
    }

    /// Commits the change, and performs the effects.
    pub(crate) async fn finish(self) -> Result<(), ApiError> {
        let jobs = self.work.commit().await?;
        if let Some(first) = jobs.first() {
            note(first.job);
        }
        self.state.queue.publish(jobs);
        Ok(())
    }
}

/// For the request's line in the log.
fn note(job: JobId) {
    Span::current().record("job.id", field::display(job));
}

#[cfg(test)]
mod tests;
