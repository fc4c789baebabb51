//! `/jobs/:jobId` (decisions 5): how far a job is, cancelling it, and running a failed one again.

use entities::job::lifecycle::find_open_by_dedupe_key;
use entities::job::{self, Failure, State, listing, outbox};
use entities::{ChatId, JobId, Timestamp, job_failure};
use serde::Serialize;
use serde_json::{Value, json};

use crate::call::Call;
use crate::http::error::ApiError;
use crate::http::reply::Reply;
use crate::page::Page;
use crate::time::Seconds;

#[derive(Serialize)]
pub(crate) struct JobView {
    id: JobId,
    kind: String,
    state: State,
    progress: Progress,
    cancel_requested: bool,
    result: Option<Value>,
    error: Option<Failure>,
    created_at: Seconds,
    started_at: Option<Seconds>,
    finished_at: Option<Seconds>,
}

#[derive(Serialize)]
struct Progress {
    done: i64,
    total: i64,
    failed: i64,
    eta_seconds: Option<i64>,
}

impl JobView {
    pub(crate) fn of(row: job::Model, now: Timestamp) -> Self {
        let progress = Progress {
            done: row.progress_done,
            total: row.progress_total,
            failed: row.progress_failed,
            eta_seconds: eta_seconds(&row, now),
        };
        Self {
            error: row.failure(),
            id: row.job_id,
            kind: row.kind,
            state: row.state,
            progress,
            cancel_requested: row.cancel_requested,
            result: row.result,
            created_at: Seconds(row.created_at),
            started_at: row.started_at.map(Seconds),
            finished_at: row.finished_at.map(Seconds),
        }
    }
}

/// How long the rest takes at the speed so far. A bulk job notes in its checkpoint when its writing began (`since`,
/// seconds) and what the plan had done by then (`base`), because planning is much faster than writing.
fn eta_seconds(row: &job::Model, now: Timestamp) -> Option<i64> {
    let number = |name| row.checkpoint.as_ref()?.get(name)?.as_i64();
    let started = number("since").or(row.started_at.map(|at| at.timestamp()));
    let done = row.progress_done - number("base").unwrap_or(0);
    let left = row.progress_total - row.progress_done;
    if !row.state.is_open() || done <= 0 || left < 0 {
        return None;
    }
    let took = now.timestamp() - started?;
    // Rounded up: whoever comes back then finds it done. The first second says nothing about the speed.
    (took > 0).then(|| (took * left + done - 1) / done)
}

#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    job: JobView,
    failures: Vec<MemberFailure>,
    next_cursor: Option<i64>,
}

#[derive(Serialize)]
struct MemberFailure {
    id: i64,
    chat_id: ChatId,
    error: String,
    message: String,
    created_at: Seconds,
}

/// GET /jobs/:jobId, a page of the members it failed for with it
pub(crate) async fn show(call: Call) -> Result<Reply, ApiError> {
    let id = job_id(&call)?;
    let page = Page::<i64>::of(&call, "the `id` of a failure")?;
    let job = listing::find(call.read(), call.guild(), id).await?.ok_or_else(no_such_job)?;
    let mut rows = job_failure::list(call.read(), id, page.to_fetch()).await?;
    let next_cursor = page.cut(&mut rows, |row| row.failure_id);
    let failures = rows.into_iter().map(|row| MemberFailure {
        id: row.failure_id,
        chat_id: row.chat_id,
        error: row.error,
        message: row.message,
        created_at: Seconds(row.created_at),
    });
    Reply::data(&Shown { job: JobView::of(job, call.now()), failures: failures.collect(), next_cursor })
}

/// DELETE /jobs/:jobId: what has not begun ends now, what runs stops at its next step
pub(crate) async fn cancel(call: Call) -> Result<Reply, ApiError> {
    let id = job_id(&call)?;
    let transaction = call.begin().await?;
    let before = listing::find(&transaction, call.guild(), id).await?.ok_or_else(no_such_job)?;
    let over = || ApiError::conflict("job_over", "the job is over already");
    if !before.state.is_open() {
        return Err(over());
    }
    let queue = &call.app.queue;
    // It may have ended while this was asked.
    let after = queue.cancel(&transaction, id).await?.filter(|job| job.cancel_requested).ok_or_else(over)?;
    let metadata = json!({ "kind": after.kind, "state": before.state });
    call.audit(&transaction, "jobs.cancel", id, metadata).await?;
    let message = if after.state.is_open() { "the job stops at its next step" } else { "job cancelled" };
    let reply = Reply::data(&JobView::of(after, call.now()))?.with_message(message);
    let reply = call.commit(transaction, reply).await?;
    queue.announce_cancel(id).await?;
    Ok(reply)
}

/// POST /jobs/:jobId/retry: a failed or dead job gets a fresh set of attempts
pub(crate) async fn retry(call: Call) -> Result<Reply, ApiError> {
    let id = job_id(&call)?;
    let transaction = call.begin().await?;
    let before = listing::find(&transaction, call.guild(), id).await?.ok_or_else(no_such_job)?;
    if let Some(key) = before.dedupe_key.as_deref() {
        let twin = find_open_by_dedupe_key(&transaction, call.guild(), &before.kind, key).await?;
        if let Some(twin) = twin.filter(|twin| twin.job_id != id) {
            let message =
                format!("job {} does the same and is not finished: wait for it or cancel it", twin.job_id);
            return Err(ApiError::conflict("job_twin", message));
        }
    }
    let not_over = || ApiError::conflict("job_not_failed", "only a failed or dead job can be retried");
    let after = outbox::replay(&transaction, id, call.now()).await?.ok_or_else(not_over)?;
    let metadata = json!({ "kind": after.kind, "state": before.state });
    call.audit(&transaction, "jobs.retry", id, metadata).await?;
    let ticket = after.ticket();
    let reply = Reply::data(&JobView::of(after, call.now()))?.with_message("job queued again");
    let reply = call.commit(transaction, reply).await?;
    call.app.queue.publish([ticket]);
    Ok(reply)
}

fn job_id(call: &Call) -> Result<JobId, ApiError> {
    call.path("jobId", "the id of a job, a UUID")
}

fn no_such_job() -> ApiError {
    ApiError::not_found("job")
}

#[cfg(test)]
mod tests;
