//! DELETE /jobs/:jobId (docs/rules.md 5)

use entities::JobId;

use crate::endpoints::jobs::record::{Job, find_to_change};
use crate::endpoints::prelude::*;

pub(crate) fn operation() -> Operation {
    Operation::new("cancelJob", "Cancel a job")
        .about(
            "Needs the scope of the job's kind. A job that has not begun ends now; a running job stops at its next \
             step; a dead one is given up.",
        )
        .data::<Job>()
        .message("job cancelled")
        .refuses(409, &["job_over"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let id: JobId = call.path("jobId")?;
    let mut work = UnitOfWork::begin(&call).await?;
    let before = find_to_change(&call, work.tx(), id).await?;
    let over = || ApiError::conflict("job_over", "the job has ended already");
    if !before.is_cancellable() {
        return Err(over());
    }
    // The job may have ended since it was read.
    let cancelled = jobs::cancel(&call.state.queue, work.tx(), id).await?;
    let (after, event) = cancelled.filter(|(job, _)| job.cancel_requested).ok_or_else(over)?;
    let metadata = json!({ "kind": after.kind, "state": before.status(work.now()) });
    work.audit("jobs.cancel", id, metadata);
    work.announce([event]);
    let message = if after.state.is_open() { "the job stops at its next step" } else { "job cancelled" };
    let reply = Reply::data(&Job::new(&after, work.now()))?.with_message(message);
    work.commit(reply).await
}
