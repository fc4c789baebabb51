//! POST /jobs/:jobId/retry (docs/rules.md 5)
//!
//! A failed or dead job gets a fresh set of attempts; a job that waits for its next attempt becomes due now. A sync of
//! all members counts as a run, and uses the guild's hour.

use entities::JobId;
use jobs::bulk_sync::SyncAll;
use jobs::{Retry, retry};
use queue::Payload;

use crate::auth::bulk_sync;
use crate::endpoints::interactions::bot::check_bot;
use crate::endpoints::jobs::record::{Job, find_to_change};
use crate::endpoints::prelude::*;

pub(crate) fn operation() -> Operation {
    Operation::new("retryJob", "Run a failed or dead job again")
        .about(
            "Needs the scope of the job's kind. The job gets a fresh set of attempts; changes of its earlier runs \
             stay. A sync of all members uses the hour of `/interactions/sync/all`.",
        )
        .asks_platform()
        .data::<Job>()
        .message("job queued again")
        .refuses(409, &["job_not_failed", "duplicate_job"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let id: JobId = call.path("jobId")?;
    if find_to_change(&call, call.read(), id).await?.kind == SyncAll::KIND {
        check_bot(&call).await?;
    }
    let mut work = UnitOfWork::begin(&call).await?;
    let before = find_to_change(&call, work.tx(), id).await?;
    let after = match retry(work.tx(), &before, work.now()).await? {
        Retry::Queued(after) => *after,
        Retry::Duplicate(other) => {
            let message = format!("job {other} does the same and is not finished: wait for it or cancel it");
            return Err(ApiError::conflict("duplicate_job", message));
        }
        Retry::OverQuota(standing) => return Err(bulk_sync::over_limit(&standing)),
        Retry::NotFailed(_) | Retry::PartOf(_) => {
            let message = "only a job that failed, is dead or waits for its next attempt can be retried";
            return Err(ApiError::conflict("job_not_failed", message));
        }
    };
    let metadata = json!({ "kind": after.kind, "state": before.status(work.now()) });
    work.audit("jobs.retry", id, metadata);
    work.publish([after.message()]);
    let reply = Reply::data(&Job::new(&after, call.now()))?.with_message("job queued again");
    work.commit(reply).await
}
