//! POST /jobs/:jobId/undo (docs/rules.md 5)

use entities::{JobId, guild};
use jobs::bulk_sync::UndoSync;
use jobs::undo::{self, Problem};

use crate::endpoints::interactions::bot::check_bot;
use crate::endpoints::jobs::record::{Job, find, find_to_change};
use crate::endpoints::prelude::*;

pub(crate) fn operation() -> Operation {
    Operation::new("undoSync", "Put back what a sync of all members changed")
        .about(
            "Within an hour of its end, once. Members whom somebody changed since are left alone in what was changed. \
             Automatic syncs wait until `POST /guilds/{guildId}/follow/resume`. Answers with the job that does it.",
        )
        .asks_platform()
        .data::<Job>()
        .message("undo queued")
        .refuses(409, &["nothing_to_undo", "too_late", "already_undone"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let id: JobId = call.path("jobId")?;
    find_to_change(&call, call.read(), id).await?;
    check_bot(&call).await?;
    let mut work = UnitOfWork::begin(&call).await?;
    guild::find_for_update(work.tx(), call.guild()).await?;
    let run = find_to_change(&call, work.tx(), id).await?;
    if let Some(problem) = undo::check(work.tx(), call.guild(), &run, work.now()).await? {
        return Err(refused(problem));
    }
    let payload = UndoSync { guild: call.guild(), run: id };
    let enqueued = undo::enqueue(&call.state.queue, &mut work, &payload, call.actor()).await?;
    work.audit("sync.undone", id, json!({ "job_id": enqueued.job }));
    let job = find(&call, work.tx(), enqueued.job).await?;
    let reply = Reply::data(&Job::new(&job, call.now()))?.with_message("undo queued");
    work.commit(reply).await
}

fn refused(problem: Problem) -> ApiError {
    match problem {
        Problem::NoRun => {
            ApiError::conflict("nothing_to_undo", "only a sync of all members that has ended can be undone")
        }
        Problem::ChangedNobody => ApiError::conflict("nothing_to_undo", "this sync changed nobody"),
        Problem::TooLate => ApiError::conflict("too_late", "a sync can be undone within an hour of its end"),
        Problem::Undone(job) => {
            ApiError::conflict("already_undone", format!("job {job} undoes this sync, or has done it"))
        }
    }
}
