//! Quotas of section 8: counted by key and bucket; `sync/all` by guild, and only when it is accepted.

use runtime::{Decision, LimitsDown};

use super::Key;
use crate::app::App;
use crate::call::Call;
use crate::http::error::ApiError;
use crate::route::Route;

fn counter(route: &Route, key: &Key) -> String {
    let bucket = route.bucket.name();
    if route.bucket.counts_accepted_calls_of_guild() {
        return guild_counter(bucket, key);
    }
    format!("key:{}:{bucket}", key.id())
}

fn guild_counter(bucket: &str, key: &Key) -> String {
    format!("guild:{}:{bucket}", key.guild())
}

/// Uses one request of the key's quota up. Of a quota that counts accepted calls it only looks how much is left.
pub(super) async fn spend(app: &App, route: &Route, key: &Key) -> Result<Decision, ApiError> {
    let (limits, counter, quota) = (&app.context.limits, counter(route, key), route.bucket.quota());
    if route.bucket.counts_accepted_calls_of_guild() {
        return limits.peek(&counter, quota).await.map_err(down);
    }
    if route.enqueues {
        return limits.take(&counter, quota).await.map_err(down);
    }
    Ok(limits.take_or_fallback(&counter, quota).await)
}

/// How the quota stands; none while that cannot be known.
pub(super) async fn peek(app: &App, route: &Route, key: &Key) -> Option<Decision> {
    app.context.limits.peek(&counter(route, key), route.bucket.quota()).await.ok()
}

/// An accepted call of a quota that counts them. Given back when the call comes to nothing after all.
pub(crate) struct Taken {
    counter: String,
    quota: runtime::Quota,
    pub(crate) window: Decision,
}

pub(crate) async fn take_for_guild(call: &Call, bucket: crate::bucket::Bucket) -> Result<Taken, ApiError> {
    let (counter, quota) = (guild_counter(bucket.name(), &call.key), bucket.quota());
    let window = call.app.context.limits.take(&counter, quota).await.map_err(down)?;
    if window.allowed { Ok(Taken { counter, quota, window }) } else { Err(ApiError::over_quota(window)) }
}

impl Taken {
    pub(crate) async fn give_back(self, call: &Call) {
        call.app.context.limits.refund(&self.counter, self.quota).await;
    }
}

fn down(cause: LimitsDown) -> ApiError {
    ApiError::unavailable("limits_unavailable", "the quota cannot be checked at the moment").cause(cause)
}
