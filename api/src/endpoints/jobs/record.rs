//! A job as the API shows it, and its look-up by id.

use entities::JobId;
use entities::job::{self, Failure, Status, listing};
use sea_orm::ConnectionTrait;
use serde_json::Value;

use crate::endpoints::prelude::*;
use crate::response::error::whole_seconds;

answer! {
    pub(crate) struct Job from row: job::Model, at now {
        pub(crate) id: JobId = row.job_id,
        #[schema(example = "sync_all")]
        kind: String,
        state: Status = row.status(now),
        progress: JobProgress = JobProgress::new(row, now),
        /// Whether a cancel was requested.
        cancel_requested: bool,
        /// Of a job that succeeded.
        #[schema(required, value_type = Option<Object>, example = json!({ "changed": 12 }))]
        result: Option<Value>,
        /// Of a job that failed.
        #[schema(required)]
        error: Option<Failure> = row.failure(),
        created_at: Seconds,
        #[schema(required)]
        started_at: Option<Seconds> = row.started_at.map(Seconds),
        #[schema(required)]
        finished_at: Option<Seconds> = row.finished_at.map(Seconds),
        /// Where the operator collects traces: that of the call that caused the job.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(example = "4bf92f3577b34da6a3ce929d0e0e4736")]
        trace_id: Option<String> = row.trace_id().map(str::to_owned),
    }
}

answer! {
    pub(crate) struct JobProgress from row: job::Model, at now {
        /// Steps that have ended.
        #[schema(minimum = 0, example = 1200)]
        done: i64 = row.progress_done,
        #[schema(minimum = 0, example = 5000)]
        total: i64 = row.progress_total,
        /// Steps that have failed.
        #[schema(minimum = 0, example = 1)]
        failed: i64 = row.progress_failed,
        /// Seconds left at the speed so far; null while it is unknown, for example while a bulk job plans.
        #[schema(required, example = 95)]
        // Rounded up, so that the job is done when a client polls again by then.
        eta_seconds: Option<u64> = queue::eta(row, now).map(whole_seconds),
    }
}

pub(crate) async fn find<C: ConnectionTrait>(
    call: &Call,
    conn: &C,
    id: JobId,
) -> Result<job::Model, ApiError> {
    listing::find(conn, call.guild(), id).await?.or_not_found("job")
}

/// The job, for a caller who has the scope or permission of its kind.
pub(crate) async fn find_to_change<C: ConnectionTrait>(
    call: &Call,
    conn: &C,
    id: JobId,
) -> Result<job::Model, ApiError> {
    let job = find(call, conn, id).await?;
    call.caller.require_kind(&job.kind)?;
    Ok(job)
}
