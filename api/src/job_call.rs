//! Endpoints whose work a worker does: enqueue, wait as long as the caller wants, answer (decisions 5).

use queue::{Answer, Draft, Payload};
use serde_json::Value;

use crate::call::Call;
use crate::http::error::ApiError;
use crate::http::reply::Reply;

/// The audit entry that is committed with the job: who asked for what.
pub(crate) struct Asked {
    pub(crate) action: &'static str,
    pub(crate) target: String,
    pub(crate) metadata: Value,
}

/// 200 with what `done` makes of the result, or 202 when the job takes longer than the caller waits.
pub(crate) async fn run<P: Payload>(
    call: &Call,
    payload: &P,
    asked: Asked,
    done: impl FnOnce(Value) -> Result<Reply, ApiError>,
) -> Result<Reply, ApiError> {
    let wait = call.prefer.wait();
    let queue = &call.app.queue;
    let (job, answer) = match call.first_job() {
        Some(first) => (first, queue.join(first, wait).await?),
        None => {
            let enqueued = enqueue(call, payload, asked).await?;
            (enqueued.job, queue.call(enqueued, wait).await?)
        }
    };
    let mut reply = match answer {
        Some(Answer::Succeeded(result)) => done(result)?,
        Some(Answer::Failed(failure)) => return Err(failure.into()),
        Some(Answer::Cancelled) => return Err(ApiError::conflict("cancelled", "the job was cancelled")),
        None => Reply::accepted(job)?,
    };
    reply.preference = call.prefer.applied();
    Ok(reply)
}

async fn enqueue<P: Payload>(call: &Call, payload: &P, asked: Asked) -> Result<queue::Enqueued, ApiError> {
    let draft = Draft::new(call.guild(), payload, call.actor())?;
    let transaction = call.begin().await?;
    let enqueued = draft.enqueue(&transaction, call.now()).await?;
    call.audit(&transaction, asked.action, asked.target, asked.metadata).await?;
    if let Some(slot) = &call.idempotency {
        slot.attach(&transaction, enqueued.job).await?;
    }
    transaction.commit().await?;
    Ok(enqueued)
}
