//! A job as the API shows it, and its look-up by id.

use entities::job::{self, Failure, Status, listing};
use entities::{JobId, Timestamp};
use queue::kinds;
use sea_orm::ConnectionTrait;
use serde_json::Value;

use crate::endpoints::prelude::*;
use crate::response::error::{ApiError, whole_seconds};

#[derive(Serialize, ToSchema)]
pub(crate) struct Job {
    id: JobId,
    #[schema(example = "sync_all")]
    kind: String,
    state: Status,
    progress: JobProgress,
    /// The job was asked to stop.
    cancel_requested: bool,
    /// Of a job that succeeded.
    #[schema(required, value_type = Option<Object>, example = json!({ "changed": 12 }))]
    result: Option<Value>,
    /// Of a job that failed.
    #[schema(required)]
    error: Option<Failure>,
    created_at: Seconds,
    #[schema(required)]
    started_at: Option<Seconds>,
    #[schema(required)]
    finished_at: Option<Seconds>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct JobProgress {
    /// Steps that are over.
    #[schema(minimum = 0, example = 1200)]
    done: i64,
    #[schema(minimum = 0, example = 5000)]
    total: i64,
    /// Steps that are over and failed.
    #[schema(minimum = 0, example = 1)]
    failed: i64,
    /// Seconds left at the speed so far; null while the speed is unknown, as while a bulk job plans.
    #[schema(required, example = 95)]
    eta_seconds: Option<u64>,
}

impl Job {
    pub(crate) fn id(&self) -> JobId {
        self.id
    }

    pub(crate) fn of(row: job::Model, now: Timestamp) -> Self {
        let progress = JobProgress {
            done: row.progress_done,
            total: row.progress_total,
            failed: row.progress_failed,
            // Rounded up, so that the job is done when a client polls again by then.
            eta_seconds: queue::eta(&row, now).map(whole_seconds),
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

pub(crate) async fn find<C: ConnectionTrait>(
    call: &Call,
    conn: &C,
    id: JobId,
) -> Result<job::Model, ApiError> {
    listing::find(conn, call.guild(), id).await?.ok_or_else(|| ApiError::not_found("job"))
}

/// The job, for a key that has the scope of its kind.
pub(crate) async fn find_to_change<C: ConnectionTrait>(
    call: &Call,
    conn: &C,
    id: JobId,
) -> Result<job::Model, ApiError> {
    let job = find(call, conn, id).await?;
    call.key.require(kinds::scope(&job.kind))?;
    Ok(job)
}
