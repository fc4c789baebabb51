//! The rate limit of a guild's bulk syncs, which is counted in the database (docs/rules.md 3).

use entities::bulk_sync::{Kind, Standing};
use runtime::Decision;

use crate::limits::rate_limit::{RateLimit, Window};
use crate::response::error::ApiError;

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
