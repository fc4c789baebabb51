//! Endpoints whose work a worker does: enqueue, wait as long as the client wants, respond (docs/rules.md 5).

use std::time::Duration;

use entities::cap::Cap;
use queue::{Answer, Draft, Enqueued, Payload};
use serde_json::Value;

use crate::call::Call;
use crate::call::unit_of_work::UnitOfWork;
use crate::response::error::ApiError;
use crate::response::reply::Reply;

/// The audit entry that is committed with the job.
pub(crate) struct Asked {
    pub(crate) action: &'static str,
    pub(crate) target: String,
    pub(crate) metadata: Value,
}

/// 200 with the output of `done`, or 202 when the job takes longer than the client waits.
pub(crate) async fn run<P: Payload>(
    call: &Call,
    payload: &P,
    asked: Asked,
    done: impl FnOnce(Value) -> Result<Reply, ApiError>,
) -> Result<Reply, ApiError> {
    let draft = Draft::new(call.guild(), payload, call.actor())?;
    run_draft(call, draft, asked, done).await
}

/// Like [`run`], for a job with more properties than its arguments.
pub(crate) async fn run_draft(
    call: &Call,
    draft: Draft,
    asked: Asked,
    done: impl FnOnce(Value) -> Result<Reply, ApiError>,
) -> Result<Reply, ApiError> {
    let enqueued = match call.first_job() {
        Some(first) => Enqueued::joined(first),
        None => enqueue(call, draft, asked).await?,
    };
    answer(call, enqueued, call.prefer().wait(), done).await
}

/// Waits for a committed job: the caller's own or, without a message, one that another call enqueued.
pub(crate) async fn answer(
    call: &Call,
    enqueued: Enqueued,
    wait: Duration,
    done: impl FnOnce(Value) -> Result<Reply, ApiError>,
) -> Result<Reply, ApiError> {
    let job = enqueued.job;
    let mut reply = match call.state.queue.call(enqueued, wait).await? {
        Some(Answer::Succeeded(result)) => done(result)?,
        Some(Answer::Failed(failure)) => return Err(failure.into()),
        Some(Answer::Cancelled) => return Err(ApiError::conflict("cancelled", "the job was cancelled")),
        None => Reply::accepted(job)?,
    };
    reply.preference = call.prefer().applied();
    Ok(reply)
}

async fn enqueue(call: &Call, draft: Draft, asked: Asked) -> Result<Enqueued, ApiError> {
    call.room_for(call.read(), Cap::Jobs, 1).await?;
    let mut work = UnitOfWork::begin(call).await?;
    let enqueued = work.insert_job(draft).await?;
    work.audit(asked.action, asked.target, asked.metadata);
    work.commit_job(enqueued).await
}
