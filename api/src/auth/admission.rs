//! Key, guild, scope and rate limit, in this order: what is checked before the body is read (docs/rules.md 1). A key is sent
//! as `X-API-Key: k`, `Authorization: Bearer k` or `Authorization: ApiKey k`.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use console::Over;
use entities::bulk_sync::{self, Kind};
use entities::key_text::KeyText;
use entities::{ChatId, GuildId};
use http::{HeaderMap, header};
use runtime::{Counter, Decision, LimitsDown, Rate, Sharer};

use crate::auth::bulk_sync::window;
use crate::auth::server;
use crate::cache::keys::Key;
use crate::call::route::{Needs, Route, Runs};
use crate::limits::rate_limit::{RateLimit, Window};
use crate::request::body::Body;
use crate::request::client_address;
use crate::request::parts::{Field, Take};
use crate::request::url::Params;
use crate::response::error::{self, ApiError};
use crate::state::State;

const KEY_HEADER: &str = "x-api-key";
const SCHEMES: [&str; 2] = ["bearer", "apikey"];
const GUILD_HEADER: &str = "x-guild-id";
/// Calls of `sync/all`, including refused ones, so that the cost of refusals is bounded too.
const BULK_SYNC_CALLS: Rate = Rate::per(30, Duration::from_secs(60));

/// The key of the request. Failures count against the address.
pub(crate) async fn authenticate(
    state: &State,
    route: &Route,
    headers: &HeaderMap,
    peer: IpAddr,
) -> Result<Arc<Key>, ApiError> {
    let address = || client_address::of(peer, headers, &state.options.trusted_proxies);
    match check_key(state, route, headers, address).await {
        Ok(key) => {
            if key.claim_note(state.context.clock.now()) {
                state.heartbeats.note_key(key.id());
            }
            Ok(key)
        }
        Err(error) if error.kind() == error::Kind::Unauthorized => {
            let sent = sent_key(headers).ok().and_then(KeyText::parse);
            let public_id = sent.as_ref().map(KeyText::public_id);
            Err(Box::pin(state.failed_keys.count(address(), public_id, error)).await)
        }
        Err(error) => Err(error),
    }
}

async fn check_key(
    state: &State,
    route: &Route,
    headers: &HeaderMap,
    address: impl Fn() -> IpAddr,
) -> Result<Arc<Key>, ApiError> {
    let text = KeyText::parse(sent_key(headers)?).ok_or_else(malformed)?;
    let known = match state.caches.keys.rows.get(text.public_id()) {
        Some(known) => known,
        None => {
            // A valid key is admitted regardless of other clients at this address (docs/rules.md 3).
            let _permit = state.failed_keys.lookup_permit(address()).await;
            let (keys, conn) = (&state.caches.keys, state.context.database.read());
            // Boxed, because requests with a known key need no space for it.
            if route.serves_stale {
                Box::pin(keys.load_or_stale(conn, text.public_id())).await?
            } else {
                Box::pin(keys.load(conn, text.public_id())).await?
            }
        }
    };
    // A wrong secret and an unknown id get the same error; details are shown only to the holder of the secret.
    let key = known.filter(|key| key.opens(&text)).ok_or_else(unknown)?;
    key.check_live(state.context.clock.now())?;
    Ok(key)
}

/// Whether a key admitted earlier is still valid.
pub(crate) async fn recheck(state: &State, public_id: &str) -> Result<(), ApiError> {
    let keys = &state.caches.keys;
    let known = match keys.rows.get(public_id) {
        Some(known) => known,
        None => Box::pin(keys.load_or_stale(state.context.database.read(), public_id)).await?,
    };
    known.ok_or_else(unknown)?.check_live(state.context.clock.now())
}

/// The key sent in any of the three ways; the same key sent twice counts as one.
fn sent_key(headers: &HeaderMap) -> Result<&str, ApiError> {
    let mut key = None;
    for value in headers.get_all(KEY_HEADER) {
        add(&mut key, value.to_str().map_err(|_| malformed())?)?;
    }
    let mut other_scheme = false;
    for value in headers.get_all(header::AUTHORIZATION) {
        match scheme_and_key(value.to_str().map_err(|_| malformed())?) {
            Some(text) => add(&mut key, text)?,
            None => other_scheme = true,
        }
    }
    match key {
        Some(key) => Ok(key),
        None if other_scheme => Err(malformed()),
        None => Err(ApiError::key(
            "key_missing",
            "no key was sent; send it as `X-API-Key: <key>` or `Authorization: Bearer <key>`",
        )),
    }
}

/// `None`: an unknown scheme. A proxy's own credentials may accompany our header.
fn scheme_and_key(value: &str) -> Option<&str> {
    let (scheme, key) = value.trim().split_once(' ')?;
    SCHEMES.contains(&scheme.to_ascii_lowercase().as_str()).then(|| key.trim())
}

fn add<'h>(key: &mut Option<&'h str>, sent: &'h str) -> Result<(), ApiError> {
    let sent = sent.trim();
    match key {
        _ if sent.is_empty() => Ok(()),
        Some(first) if *first != sent => Err(ApiError::key("key_ambiguous", "two different keys were sent")),
        _ => {
            *key = Some(sent);
            Ok(())
        }
    }
}

fn unknown() -> ApiError {
    ApiError::key("key_unknown", "this key is not known")
}

fn malformed() -> ApiError {
    ApiError::key("key_malformed", "what was sent is not a key: its form or checksum is wrong")
}

/// The request's window after this call. A refusal carries it too. `None`: it is counted when its body is read.
pub(crate) async fn admit(
    state: &State,
    route: &'static Route,
    params: &Params,
    headers: &HeaderMap,
    key: &Key,
) -> Result<Option<Window>, ApiError> {
    let allowed = check_guild(params, headers, key.guild()).and_then(|()| check_scope(route, key));
    if let Err(error) = allowed {
        // Refused, so no request is counted, but the response still carries the rate limit.
        let decision = Box::pin(peek(state, route, key)).await;
        return Err(error.window(decision.map(|decision| (route.limit, decision))));
    }
    if route.counts_by_body() {
        return Ok(None);
    }
    let server = server::of_request(route, params, headers);
    let keys = &state.caches.keys;
    let decision = if route.runs != Runs::AsJobs && keys.shares(key.id(), route.limit, server.is_some()) {
        // Boxed, because most requests name no server.
        Box::pin(take_hot(state, route.limit, key, server)).await?
    } else {
        spend(state, route, key).await?
    };
    Ok(Some((route.limit, decision)))
}

/// The window of a call whose body names its server.
pub(crate) async fn admit_by_body(state: &State, key: &Key, body: &Body) -> Result<Window, ApiError> {
    let (limit, server) = server::of_tick(body);
    Ok((limit, take_hot(state, limit, key, server).await?))
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

pub(crate) fn counter(limit: RateLimit, key: &Key) -> Counter {
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

/// Servers of a key share its limit; calls that name none are one more.
async fn take_hot(
    state: &State,
    limit: RateLimit,
    key: &Key,
    server: Option<Sharer>,
) -> Result<Decision, ApiError> {
    let (limits, counter, rate) = (&state.context.limits, counter(limit, key), key.rate(limit));
    let decision = limits.take_share(counter, rate, server.unwrap_or(Sharer::UNNAMED)).await;
    if decision.allowed {
        Ok(decision)
    } else {
        Err(ApiError::over_limit(limit, decision).spread(server, rate))
    }
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

#[cfg(test)]
mod tests;
