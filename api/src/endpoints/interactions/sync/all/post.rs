//! POST /interactions/sync/all: one run per hour and guild, six dry runs (docs/rules.md 3).
//!
//! All checks precede the acceptance of the run, so a refused call never uses the hour.

use entities::bulk_sync::{self as windows, Kind};
use entities::{JobId, link};
use jobs::bulk_sync::{BulkSync, SyncAll};

use crate::auth::bulk_sync;
use crate::endpoints::interactions::bot::check_bot;
use crate::endpoints::prelude::*;
use crate::request::values::Whole;

request! {
    pub(crate) struct SyncAllRequest {
        /// A brake: if the plan removes more roles, the job fails before its first write.
        #[example(50)]
        max_removals: Option<Whole<0, { i32::MAX }>>,
        /// Count what would change, and change nothing.
        #[example(false)]
        dry_run: Option<bool>,
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct QueuedSync {
    queued: bool,
    /// Verified members of the guild.
    #[schema(example = 5000)]
    members: u64,
    job_id: JobId,
}

pub(crate) fn operation() -> Operation {
    Operation::new("syncAllMembers", "Bring all verified members in line")
        .about(
            "One run per hour and guild, whichever key asks, and six dry runs. A refused call does not count, and a \
             run that ends before its first change gives its hour back; 429 names the job that used it. A job does the \
             work; poll `/jobs/{jobId}`.",
        )
        .body::<SyncAllRequest>()
        .data::<QueuedSync>()
        .message("sync of all members queued")
        .asks_platform()
        .refuses(503, &["platform_not_configured", "guild_not_reached", "platform_unavailable"])
}

/// Responds at once. While a run takes longer than an hour, a call gets that run's job and is not counted.
pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let payload = payload(&call)?;
    let kind = Kind::of(payload.dry_run);
    let standing = windows::standing(call.read(), call.guild(), kind, call.now()).await?;
    if standing.is_used_up() {
        return Err(bulk_sync::over_limit(&standing));
    }
    check_bot(&call).await?;
    let members = link::count(call.read(), call.guild()).await?;
    let mut work = UnitOfWork::begin(&call).await?;
    let (enqueued, standing) = match bulk_sync::enqueue(&call, &mut work, &payload, members).await? {
        BulkSync::Queued(enqueued, standing) => (enqueued, standing),
        BulkSync::OverQuota(standing) => return Err(bulk_sync::over_limit(&standing)),
    };
    let message = if enqueued.joined {
        "a sync of all members is under way already; this is its job"
    } else {
        "sync of all members queued"
    };
    let data = QueuedSync { queued: true, members, job_id: enqueued.job };
    let reply = work.commit(Reply::data(&data)?.with_message(message)).await?;
    Ok(reply.with_window(bulk_sync::window(&standing)))
}

fn payload(call: &Call) -> Result<SyncAll, ApiError> {
    let SyncAllRequest { max_removals, dry_run } = call.body()?;
    Ok(SyncAll {
        dry_run: dry_run.unwrap_or(false),
        max_removals: max_removals.and_then(|max| u64::try_from(max.0).ok()),
        ..SyncAll::of(call.guild())
    })
}
