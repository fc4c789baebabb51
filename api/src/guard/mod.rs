//! What a request passes before its body is read: key, guild, scope, quota.

mod credentials;
mod failures;
mod key;
mod key_cache;
mod last_used;
mod rate_limit;

use std::net::IpAddr;
use std::sync::Arc;

use ::http::HeaderMap;
use entities::GuildId;
use entities::api_key::Scope;
use entities::key_text::KeyText;
pub(crate) use failures::FailedKeys;
pub(crate) use key::Key;
pub(crate) use key_cache::{KeyCache, listen};
pub(crate) use last_used::LastUsed;
pub(crate) use rate_limit::{bulk_sync_over_quota, bulk_sync_window};
use sea_orm::DbErr;

use crate::app::App;
use crate::fields::{Field, Fields};
use crate::http::error::{ApiError, Kind};
use crate::http::record::Record;
use crate::route::{Needs, Params, Route};

const GUILD_HEADER: &str = "x-guild-id";

/// The key a request is made with. Failures count against the address.
pub(crate) async fn authenticate(
    app: &Arc<App>,
    headers: &HeaderMap,
    from: IpAddr,
) -> Result<Arc<Key>, ApiError> {
    match check_key(app, headers, from).await {
        Ok(key) => {
            app.last_used.note(app, &key).await;
            Ok(key)
        }
        Err(error) if error.kind() == Kind::Unauthorized => Err(app.failed_keys.count(from, error).await),
        Err(error) => Err(error),
    }
}

async fn check_key(app: &App, headers: &HeaderMap, from: IpAddr) -> Result<Arc<Key>, ApiError> {
    let text = KeyText::parse(credentials::read(headers)?).ok_or_else(credentials::malformed)?;
    let known = match app.keys.fresh(text.public_id()).await {
        Some(known) => known,
        None => {
            // A valid key is let in whatever its neighbours at this address do (docs/rules.md 3).
            let _turn = app.failed_keys.turn(from).await;
            app.keys.load(app.context.database.read(), text.public_id()).await?
        }
    };
    // A wrong secret and an unknown id are told alike; more is said only to who holds the secret.
    let key = known.filter(|key| key.opens(&text)).ok_or_else(credentials::unknown)?;
    key.check_live(app.context.clock.now())?;
    Ok(key)
}

/// Whether a key that was let in once would be let in now. With `cached` what is remembered of it is enough.
pub(crate) async fn is_good(app: &App, public_id: &str, cached: bool) -> Result<bool, DbErr> {
    let known = if cached { app.keys.fresh(public_id).await } else { None };
    let key = match known {
        Some(key) => key,
        None => app.keys.load(app.context.database.read(), public_id).await?,
    };
    Ok(key.is_some_and(|key| key.check_live(app.context.clock.now()).is_ok()))
}

/// Guild of path and header, scope, quota, in this order. From here on answers carry the quota's headers.
pub(crate) async fn admit(
    app: &App,
    (route, params, headers): (&'static Route, &Params, &HeaderMap),
    key: &Key,
    record: &mut Record,
) -> Result<(), ApiError> {
    let allowed = check_guild(params, headers, key.guild()).and_then(|()| check_scope(route, key));
    if let Err(error) = allowed {
        // Refused, so nothing is used up, but the answer still says how the quota stands.
        record.window = rate_limit::peek(app, route, key).await.map(|decision| (route.bucket, decision));
        return Err(error);
    }
    record.window = Some((route.bucket, rate_limit::spend(app, route, key).await?));
    Ok(())
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
    let sent: GuildId = sent.parse().map_err(|_| ApiError::field(name, &sent.into(), &GuildId::allowed()))?;
    if sent == guild { Ok(()) } else { Err(other_guild()) }
}

/// The body may name the guild, and then the key's own.
pub(crate) fn check_body_guild(fields: &Fields, guild: GuildId) -> Result<(), ApiError> {
    match fields.optional::<GuildId>("guild_id")? {
        Some(sent) if sent != guild => Err(other_guild()),
        _ => Ok(()),
    }
}

fn other_guild() -> ApiError {
    ApiError::forbidden("other_guild", "this key belongs to another guild")
}

fn check_scope(route: &Route, key: &Key) -> Result<(), ApiError> {
    match route.needs {
        Needs::Scope(scope) => require_scope(key, scope),
        Needs::ScopeOfJob => Ok(()),
    }
}

pub(crate) fn require_scope(key: &Key, scope: Scope) -> Result<(), ApiError> {
    if key.may(scope) {
        return Ok(());
    }
    Err(ApiError::forbidden("scope_missing", format!("this key lacks the scope `{scope}`")))
}
