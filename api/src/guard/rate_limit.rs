//! Limits of section 8: counted by key and bucket; runs of `sync/all` by guild, in the database (docs/rules.md 3).

use std::time::Duration;

use entities::bulk_sync::{self, Kind, Standing};
use runtime::{Decision, LimitsDown, Quota};

use super::Key;
use crate::app::App;
use crate::bucket::Bucket;
use crate::http::error::ApiError;
use crate::route::Route;

/// Calls of `sync/all`, refused ones included: what a refusal costs is bounded, too.
const BULK_SYNC_CALLS: Quota = Quota::per(30, Duration::from_secs(60));

fn counter(bucket: Bucket, key: &Key) -> String {
    format!("key:{}:{}", key.id(), bucket.name())
}

/// Uses one request of the key's quota up. A refusal by it is the error.
pub(super) async fn spend(app: &App, route: &Route, key: &Key) -> Result<Decision, ApiError> {
    let (limits, counter, bucket) = (&app.context.limits, counter(route.bucket, key), route.bucket);
    if bucket == Bucket::SyncAll {
        let calls = limits.take(&counter, BULK_SYNC_CALLS).await.map_err(down)?;
        return if calls.allowed {
            hour_of(app, key).await
        } else {
            Err(ApiError::over_quota(bucket, calls))
        };
    }
    let decision = if route.enqueues {
        limits.take(&counter, key.quota(bucket)).await.map_err(down)?
    } else {
        limits.take_or_fallback(&counter, key.quota(bucket)).await
    };
    if decision.allowed { Ok(decision) } else { Err(ApiError::over_quota(bucket, decision)) }
}

/// How the quota stands; none while that cannot be known.
pub(super) async fn peek(app: &App, route: &Route, key: &Key) -> Option<Decision> {
    if route.bucket == Bucket::SyncAll {
        return hour_of(app, key).await.ok();
    }
    app.context.limits.peek(&counter(route.bucket, key), key.quota(route.bucket)).await.ok()
}

/// The window of runs. Whether it lets this call pass, the handler decides: dry runs have another.
async fn hour_of(app: &App, key: &Key) -> Result<Decision, ApiError> {
    let now = app.context.clock.now();
    let standing = bulk_sync::standing(app.context.database.read(), key.guild(), Kind::Run, now).await?;
    Ok(bulk_sync_window(&standing).1)
}

/// What the headers say of a guild's window.
pub(crate) fn bulk_sync_window(standing: &Standing) -> (Bucket, Decision) {
    let bucket = match standing.kind {
        Kind::Run => Bucket::SyncAll,
        Kind::DryRun => Bucket::SyncAllDryRun,
    };
    let decision = Decision {
        allowed: !standing.is_used_up(),
        limit: standing.kind.limit(),
        remaining: standing.remaining(),
        reset_after: standing.reset_after(),
    };
    (bucket, decision)
}

/// 429 that names the job which used the window.
pub(crate) fn bulk_sync_over_quota(standing: &Standing) -> ApiError {
    let (bucket, decision) = bulk_sync_window(standing);
    let what = match standing.kind {
        Kind::Run => "a guild has one sync of all members an hour",
        Kind::DryRun => "a guild has six dry runs an hour",
    };
    ApiError::over_quota(bucket, decision).used_by(standing.job, what)
}

fn down(cause: LimitsDown) -> ApiError {
    ApiError::unavailable("limits_unavailable", "the quota cannot be checked at the moment").cause(cause)
}
