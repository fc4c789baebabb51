//! `/jobs/:jobId` (docs/rules.md 5): how far a job is, cancelling it, and running a failed one again.

use entities::job::{self, Failure, Status, listing};
use entities::{ChatId, JobId, Timestamp, job_failure};
use queue::kinds::{self, SyncAll};
use queue::{Payload, Retry, retry};
use sea_orm::ConnectionTrait;
use serde::Serialize;
use serde_json::{Value, json};

use crate::call::Call;
use crate::guard;
use crate::http::error::ApiError;
use crate::http::reply::Reply;
use crate::interactions::check_bot;
use crate::page::Page;
use crate::time::Seconds;

#[derive(Serialize)]
pub(crate) struct JobView {
    id: JobId,
    kind: String,
    state: Status,
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
    eta_seconds: Option<u64>,
}

impl JobView {
    pub(crate) fn of(row: job::Model, now: Timestamp) -> Self {
        let progress = Progress {
            done: row.progress_done,
            total: row.progress_total,
            failed: row.progress_failed,
            // Rounded up: whoever comes back then finds it done.
            eta_seconds: queue::eta(&row, now)
                .map(|left| left.as_secs() + u64::from(left.subsec_nanos() > 0)),
        };
        Self {
            error: row.failure(),
            state: row.status(now),
            id: row.job_id,
            kind: row.kind,
            progress,
            cancel_requested: row.cancel_requested,
            result: row.result,
            created_at: Seconds(row.created_at),
            started_at: row.started_at.map(Seconds),
            finished_at: row.finished_at.map(Seconds),
        }
    }
}

#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    job: JobView,
    errors: Vec<TryError>,
    failures: Vec<MemberFailure>,
    next_cursor: Option<i64>,
}

/// What one attempt ran into.
#[derive(Serialize)]
struct TryError {
    attempt: i32,
    at: Seconds,
    error: String,
    message: String,
}

#[derive(Serialize)]
struct MemberFailure {
    id: i64,
    chat_id: ChatId,
    error: String,
    message: String,
    created_at: Seconds,
}

/// GET /jobs/:jobId, with what its attempts ran into, and a page of the members it failed for
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
    let errors = job.history().into_iter().map(|error| TryError {
        attempt: error.attempt,
        at: Seconds(error.at),
        error: error.error,
        message: error.message,
    });
    let (errors, failures) = (errors.collect(), failures.collect());
    Reply::data(&Shown { job: JobView::of(job, call.now()), errors, failures, next_cursor })
}

/// DELETE /jobs/:jobId: what has not begun ends now, what runs stops at its next step
pub(crate) async fn cancel(call: Call) -> Result<Reply, ApiError> {
    let id = job_id(&call)?;
    let transaction = call.begin().await?;
    let before = find_to_change(&call, &transaction, id).await?;
    let over = || ApiError::conflict("job_over", "the job is over already");
    if !before.state.is_open() {
        return Err(over());
    }
    let queue = &call.app.queue;
    // It may have ended while this was asked.
    let after = queue.cancel(&transaction, id).await?.filter(|job| job.cancel_requested).ok_or_else(over)?;
    let metadata = json!({ "kind": after.kind, "state": before.status(call.now()) });
    call.audit(&transaction, "jobs.cancel", id, metadata).await?;
    let message = if after.state.is_open() { "the job stops at its next step" } else { "job cancelled" };
    let reply = Reply::data(&JobView::of(after, call.now()))?.with_message(message);
    let reply = call.commit(transaction, reply).await?;
    queue.announce_cancel(id).await?;
    Ok(reply)
}

/// POST /jobs/:jobId/retry: a failed or dead job gets a fresh set of attempts, one that waits for its next attempt
/// becomes due now; a sync of all members is a run like any other, and uses the guild's hour
pub(crate) async fn run_again(call: Call) -> Result<Reply, ApiError> {
    let id = job_id(&call)?;
    if find_to_change(&call, call.read(), id).await?.kind == SyncAll::KIND {
        check_bot(&call).await?;
    }
    let transaction = call.begin().await?;
    let before = find_to_change(&call, &transaction, id).await?;
    let after = match retry(&transaction, &before, call.now()).await? {
        Retry::Queued(after) => *after,
        Retry::Duplicate(other) => {
            let message = format!("job {other} does the same and is not finished: wait for it or cancel it");
            return Err(ApiError::conflict("job_twin", message));
        }
        Retry::OverQuota(standing) => return Err(guard::bulk_sync_over_quota(&standing)),
        Retry::NotFailed(_) | Retry::PartOf(_) => {
            let message = "only a job that failed, is dead or waits for its next attempt can be retried";
            return Err(ApiError::conflict("job_not_failed", message));
        }
    };
    let metadata = json!({ "kind": after.kind, "state": before.status(call.now()) });
    call.audit(&transaction, "jobs.retry", id, metadata).await?;
    let ticket = after.ticket();
    let reply = Reply::data(&JobView::of(after, call.now()))?.with_message("job queued again");
    let reply = call.commit(transaction, reply).await?;
    call.app.queue.publish([ticket]);
    Ok(reply)
}

/// The job, for a key that has the scope of its kind.
async fn find_to_change<C: ConnectionTrait>(
    call: &Call,
    conn: &C,
    id: JobId,
) -> Result<job::Model, ApiError> {
    let job = listing::find(conn, call.guild(), id).await?.ok_or_else(no_such_job)?;
    guard::require_scope(&call.key, kinds::scope(&job.kind))?;
    Ok(job)
}

fn job_id(call: &Call) -> Result<JobId, ApiError> {
    call.path("jobId", "the id of a job, a UUID")
}

fn no_such_job() -> ApiError {
    ApiError::not_found("job")
}
