//! Retries a job: a failed job runs again, and a job that waits for its next attempt becomes due now. A product may limit
//! how often its jobs run, with a [`Quota`].

use std::convert::Infallible;

use entities::job::{Model, State, insert, retry};
use entities::{JobId, Timestamp};
use runtime::Transaction;
use sea_orm::DbErr;

/// The result of a retry request. Only [`Retry::Queued`] changed the job.
#[derive(Debug, Clone, PartialEq)]
pub enum Retry<R = Infallible> {
    /// A failed or dead job with a fresh set of attempts, or a waiting one that is due now. After the commit,
    /// [`crate::Queue::publish`] its message; else the safety net finds it.
    Queued(Box<Model>),
    /// The job has not failed and does not wait for its next attempt.
    NotFailed(State),
    /// The job is a chunk of this job: retry the parent.
    PartOf(JobId),
    /// This unfinished job has the same dedupe key, of which only one may be open.
    Duplicate(JobId),
    /// The quota allows no further run.
    OverQuota(R),
}

/// Limits how often jobs run. A failed job that is retried runs once more; a job that waits for its next attempt does not
/// count again.
pub trait Quota: Send {
    /// Why a job may not run.
    type Refusal: Send;

    /// Whether the failed job may run again. Called in the transaction that restarts it, right before.
    fn check(
        &mut self,
        transaction: &Transaction,
        job: &Model,
        now: Timestamp,
    ) -> impl Future<Output = Result<Option<Self::Refusal>, DbErr>> + Send;

    /// Counts the new run of the restarted job.
    fn take(
        self,
        transaction: &Transaction,
        job: &mut Model,
    ) -> impl Future<Output = Result<(), DbErr>> + Send;
}

/// No limit.
#[derive(Debug, Clone, Copy)]
pub struct Unlimited;

impl Quota for Unlimited {
    type Refusal = Infallible;

    async fn check(&mut self, _: &Transaction, _: &Model, _: Timestamp) -> Result<Option<Infallible>, DbErr> {
        Ok(None)
    }

    async fn take(self, _: &Transaction, _: &mut Model) -> Result<(), DbErr> {
        Ok(())
    }
}

pub async fn retry<Q: Quota>(
    transaction: &Transaction,
    job: &Model,
    quota: Q,
    now: Timestamp,
) -> Result<Retry<Q::Refusal>, DbErr> {
    if let Some(parent) = job.parent_id {
        return Ok(Retry::PartOf(parent));
    }
    match job.state {
        State::Queued => {
            let due = retry::make_due(transaction, job.job_id, now).await?;
            Ok(due.map_or(Retry::NotFailed(State::Queued), |row| Retry::Queued(Box::new(row))))
        }
        State::Failed | State::Dead => restart(transaction, job, quota, now).await,
        State::Held | State::Running | State::Waiting | State::Succeeded | State::Cancelled => {
            Ok(Retry::NotFailed(job.state))
        }
    }
}

async fn restart<Q: Quota>(
    transaction: &Transaction,
    job: &Model,
    mut quota: Q,
    now: Timestamp,
) -> Result<Retry<Q::Refusal>, DbErr> {
    if let Some(key) = job.dedupe_key.as_deref() {
        let keys = [key.to_owned()];
        let open = insert::find_open_by_dedupe_keys(transaction, job.guild_id, &job.kind, &keys).await?;
        if let Some(other) = open.iter().find(|open| open.job_id != job.job_id) {
            return Ok(Retry::Duplicate(other.job_id));
        }
    }
    if let Some(refusal) = quota.check(transaction, job, now).await? {
        return Ok(Retry::OverQuota(refusal));
    }
    let Some(mut queued) = retry::restart(transaction, job.job_id, now).await? else {
        // A concurrent caller has queued it already.
        return Ok(Retry::NotFailed(State::Queued));
    };
    quota.take(transaction, &mut queued).await?;
    Ok(Retry::Queued(Box::new(queued)))
}
