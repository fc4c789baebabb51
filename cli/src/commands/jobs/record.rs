//! A job as JSON: the names of the API, and what only operators see.

use entities::job::Model;
use entities::job::history::AttemptError;
use entities::{Timestamp, job_failure};
use serde_json::{Value, json};

use crate::output;

/// The fields of a list.
pub(super) fn job(job: &Model, now: Timestamp) -> Value {
    json!({
        "id": job.job_id,
        "guild_id": job.guild_id,
        "parent_id": job.parent_id,
        "kind": job.kind,
        "class": job.class,
        "state": job.status(now),
        "progress": {
            "done": job.progress_done,
            "total": job.progress_total,
            "failed": job.progress_failed,
            // Rounded up, as in the API.
            "eta_seconds": queue::eta(job, now).map(|left| left.as_secs() + u64::from(left.subsec_nanos() > 0)),
        },
        "cancel_requested": job.cancel_requested,
        "attempt": job.attempt,
        "max_attempts": job.max_attempts,
        "crashes": job.crashes,
        "worker": job.worker,
        "actor_id": job.actor_id.unwrap_or(0).to_string(),
        "request_id": job.request_id,
        "result": job.result,
        "error": job.failure(),
        "created_at": output::time(job.created_at),
        "run_at": output::time(job.run_at),
        "started_at": job.started_at.map(output::time),
        "finished_at": job.finished_at.map(output::time),
    })
}

pub(super) fn attempt(error: &AttemptError) -> Value {
    json!({
        "attempt": error.attempt,
        "at": output::time(error.at),
        "error": error.error,
        "message": error.message,
        "worker": error.worker,
    })
}

pub(super) fn failure(failure: &job_failure::Model) -> Value {
    json!({
        "id": failure.failure_id,
        "chat_id": failure.chat_id,
        "error": failure.error,
        "message": failure.message,
        "created_at": output::time(failure.created_at),
    })
}
