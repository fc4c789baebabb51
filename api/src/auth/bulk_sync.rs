//! A guild's bulk syncs, with their rate limit, which is counted in the database (docs/rules.md 3).

use entities::bulk_sync::{Kind, Standing};
use jobs::bulk_sync::{BulkSync, SyncAll, enqueue_bulk_sync};
use runtime::Decision;
use serde_json::json;

use crate::call::Call;
use crate::call::unit_of_work::UnitOfWork;
use crate::limits::rate_limit::{RateLimit, Window};
use crate::response::error::ApiError;

/// Enqueues a sync of the guild's `members` members, with its audit entry, if the rate limit allows it.
pub(crate) async fn enqueue(
    call: &Call,
    work: &mut UnitOfWork<'_>,
    payload: &SyncAll,
    members: u64,
) -> Result<BulkSync, ApiError> {
    let asked = enqueue_bulk_sync(work, payload, call.actor(), members).await?;
    if let BulkSync::Queued(enqueued, _) = &asked
        && !enqueued.joined
    {
        let metadata = json!({ "dry_run": payload.dry_run, "max_removals": payload.max_removals });
        work.audit("sync.all_requested", enqueued.job, metadata);
    }
    Ok(asked)
}

/// The rate limit headers of a guild's window.
pub(crate) fn window(standing: &Standing) -> Window {
    let limit = match standing.kind {
        Kind::Run => RateLimit::SyncAll,
        Kind::DryRun => RateLimit::SyncAllDryRun,
    };
    let decision = Decision {
        allowed: !standing.is_used_up(),
        limit: standing.kind.limit(),
        remaining: standing.remaining(),
        reset_after: standing.reset_after(),
    };
    (limit, decision)
}

/// 429 that names the job that used the window.
pub(crate) fn over_limit(standing: &Standing) -> ApiError {
    let (limit, decision) = window(standing);
    let what = match standing.kind {
        Kind::Run => "a guild has one sync of all members an hour",
        Kind::DryRun => "a guild has six dry runs an hour",
    };
    ApiError::over_limit(limit, decision).used_by(standing.job, what)
}
