//! Guild, scope and rate limit, in this order: the checks of a key before the body is read.

use std::time::Duration;

use console::Over;
use entities::bulk_sync::{self, Kind};
use entities::{ChatId, GuildId};
use http::HeaderMap;
use runtime::{Counter, Decision, LimitsDown, Rate};

use crate::auth::bulk_sync::window;
use crate::cache::keys::Key;
use crate::rate_limit::{RateLimit, Window};
use crate::request::body::Body;
use crate::request::parts::{Field, Take};
use crate::request::url::Params;
use crate::response::error::ApiError;
use crate::route::{Needs, Route, Runs};
use crate::state::State;

const GUILD_HEADER: &str = "x-guild-id";
/// Calls of `sync/all`, including refused ones, so that the cost of refusals is bounded too.
const BULK_SYNC_CALLS: Rate = Rate::per(30, Duration::from_secs(60));

/// The request's window after this call. A refusal carries it too.
pub(crate) async fn admit(
    state: &State,
    route: &'static Route,
    params: &Params,
    headers: &HeaderMap,
    key: &Key,
) -> Result<Window, ApiError> {
    let allowed = check_guild(params, headers, key.guild()).and_then(|()| check_scope(route, key));
    if let Err(error) = allowed {
        // Refused, so no request is counted, but the response still carries the rate limit.
        let decision = peek(state, route, key).await;
        return Err(error.window(decision.map(|decision| (route.limit, decision))));
    }
    Ok((route.limit, spend(state, route, key).await?))
}

fn check_guild(params: &Params, headers: &HeaderMap, guild: GuildId) -> Result<(), ApiError> {
    if let Some(sent) = params.get("guildId") {
        same_guild("guildId", sent, guild)?;
    }
    for sent in headers.get_all(GUILD_HEADER) {
        same_guild("X-Guild-ID", &String::from_utf8_lossy(sent.as_bytes()), guild)?;
    }
    Ok(())
}

fn same_guild(name: &str, sent: &str, guild: GuildId) -> Result<(), ApiError> {
    let sent = GuildId::read_text(sent).ok_or_else(|| GuildId::refuse(name, &sent.into()))?;
    if sent == guild { Ok(()) } else { Err(other_guild()) }
}

/// The body may name the guild; it must be the key's own.
pub(crate) fn check_body_guild(body: &Body, guild: GuildId) -> Result<(), ApiError> {
    match <Option<GuildId> as Take>::take(body, "guild_id")? {
        Some(sent) if sent != guild => Err(other_guild()),
        _ => Ok(()),
    }
}

fn other_guild() -> ApiError {
    ApiError::forbidden("other_guild", "this key belongs to another guild")
}

fn check_scope(route: &Route, key: &Key) -> Result<(), ApiError> {
    match route.needs {
        Needs::Scope(scope) => key.require(scope),
        Needs::ScopeOfJob => Ok(()),
    }
}

fn counter(limit: RateLimit, key: &Key) -> Counter {
    Counter::Key(key.id().get(), limit.name())
}

/// Counts one request of the key. Exceeding the limit is an error.
async fn spend(state: &State, route: &Route, key: &Key) -> Result<Decision, ApiError> {
    let (limits, counter, limit) = (&state.context.limits, counter(route.limit, key), route.limit);
    if limit == RateLimit::SyncAll {
        let calls = limits.take(counter, BULK_SYNC_CALLS).await.map_err(down)?;
        return if calls.allowed {
            Box::pin(bulk_sync_hour(state, key)).await
        } else {
            Err(ApiError::over_limit(limit, calls))
        };
    }
    take(state, route, counter, key.rate(limit)).await
}

/// Counts one call of a person at the console: they have the limits of a key. Bulk syncs are counted in the database.
pub(crate) async fn spend_as_person(state: &State, route: &Route, person: ChatId) -> Result<(), ApiError> {
    if route.limit == RateLimit::SyncAll {
        return Ok(());
    }
    let counter = Counter::Person(person.get(), route.limit.name());
    take(state, route, counter, route.limit.rate()).await.map(drop)
}

/// Counts one page of a person at the console.
pub(crate) async fn spend_on_page(state: &State, person: ChatId) -> Result<(), Over> {
    let limit = RateLimit::ConsolePages;
    let counter = Counter::Person(person.get(), limit.name());
    let decision = state.context.limits.take_or_fallback(counter, limit.rate()).await;
    if decision.allowed { Ok(()) } else { Err(Over { retry_after: decision.reset_after_secs() }) }
}

async fn take(state: &State, route: &Route, counter: Counter, rate: Rate) -> Result<Decision, ApiError> {
    let limits = &state.context.limits;
    let decision = if route.runs == Runs::AsJobs {
        limits.take(counter, rate).await.map_err(down)?
    } else {
        limits.take_or_fallback(counter, rate).await
    };
    if decision.allowed { Ok(decision) } else { Err(ApiError::over_limit(route.limit, decision)) }
}

/// The caller's rate limit; `None` while it is unknown.
async fn peek(state: &State, route: &Route, key: &Key) -> Option<Decision> {
    if route.limit == RateLimit::SyncAll {
        return Box::pin(bulk_sync_hour(state, key)).await.ok();
    }
    state.context.limits.peek(counter(route.limit, key), key.rate(route.limit)).await.ok()
}

/// The window of runs. The handler decides whether it admits this call: dry runs have another window.
async fn bulk_sync_hour(state: &State, key: &Key) -> Result<Decision, ApiError> {
    let now = state.context.clock.now();
    let standing = bulk_sync::standing(state.context.database.read(), key.guild(), Kind::Run, now).await?;
    Ok(window(&standing).1)
}

fn down(cause: LimitsDown) -> ApiError {
    ApiError::unavailable("limits_unavailable", "the rate limit cannot be counted at the moment").cause(cause)
}
