//! Finds the key of a request and validates it.

use std::net::IpAddr;
use std::sync::Arc;

use entities::key_text::KeyText;
use http::HeaderMap;
use sea_orm::DbErr;

use crate::auth::credentials;
use crate::auth::key::Key;
use crate::request::client_address;
use crate::response::error::{ApiError, Kind};
use crate::state::State;

/// Failures count against the address.
pub(crate) async fn authenticate(
    state: &State,
    headers: &HeaderMap,
    peer: IpAddr,
) -> Result<Arc<Key>, ApiError> {
    let address = || client_address::of(peer, headers, &state.options.trusted_proxies);
    match check_key(state, headers, address).await {
        Ok(key) => {
            state.last_used.note(&state.context, &key).await;
            Ok(key)
        }
        Err(error) if error.kind() == Kind::Unauthorized => {
            Err(state.failed_keys.count(address(), error).await)
        }
        Err(error) => Err(error),
    }
}

async fn check_key(
    state: &State,
    headers: &HeaderMap,
    address: impl Fn() -> IpAddr,
) -> Result<Arc<Key>, ApiError> {
    let text = KeyText::parse(credentials::read(headers)?).ok_or_else(credentials::malformed)?;
    let known = match state.caches.keys.get(text.public_id()) {
        Some(known) => known,
        None => {
            // A valid key is admitted regardless of other clients at this address (docs/rules.md 3).
            let _permit = state.failed_keys.lookup_permit(address()).await;
            state.caches.keys.load(state.context.database.read(), text.public_id()).await?
        }
    };
    // A wrong secret and an unknown id get the same error; details are shown only to the holder of the secret.
    let key = known.filter(|key| key.opens(&text)).ok_or_else(credentials::unknown)?;
    key.check_live(state.context.clock.now())?;
    Ok(key)
}

/// Whether a key admitted earlier is still valid. With `cached` the cached row suffices.
pub(crate) async fn is_good(state: &State, public_id: &str, cached: bool) -> Result<bool, DbErr> {
    let keys = &state.caches.keys;
    let known = if cached { keys.get(public_id) } else { None };
    let key = match known {
        Some(key) => key,
        None => keys.load(state.context.database.read(), public_id).await?,
    };
    Ok(key.is_some_and(|key| key.check_live(state.context.clock.now()).is_ok()))
}
