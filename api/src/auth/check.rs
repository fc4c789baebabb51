//! Finds the key of a request and validates it. A key is sent as `X-API-Key: k`, `Authorization: Bearer k` or
//! `Authorization: ApiKey k` (docs/rules.md 1).

use std::net::IpAddr;
use std::sync::Arc;

use entities::key_text::KeyText;
use http::{HeaderMap, header};

use crate::cache::keys::Key;
use crate::request::client_address;
use crate::response::error::{ApiError, Kind};
use crate::route::Route;
use crate::state::State;

const KEY_HEADER: &str = "x-api-key";
const SCHEMES: [&str; 2] = ["bearer", "apikey"];

/// Failures count against the address.
pub(crate) async fn authenticate(
    state: &State,
    route: &Route,
    headers: &HeaderMap,
    peer: IpAddr,
) -> Result<Arc<Key>, ApiError> {
    let address = || client_address::of(peer, headers, &state.options.trusted_proxies);
    match check_key(state, route, headers, address).await {
        Ok(key) => {
            if key.is_noted(state.context.clock.now()) {
                state.heartbeats.note_key(key.id());
            }
            Ok(key)
        }
        Err(error) if error.kind() == Kind::Unauthorized => {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, value.parse().unwrap());
        }
        headers
    }

    #[test]
    fn all_three_schemes_carry_the_key() {
        for pairs in [
            [("x-api-key", "k1")].as_slice(),
            &[("authorization", "Bearer k1")],
            &[("authorization", "apikey   k1 ")],
            &[("authorization", "BEARER k1"), ("x-api-key", "k1")],
            &[("authorization", "Basic dTpw"), ("x-api-key", "k1")],
        ] {
            assert_eq!(sent_key(&headers(pairs)).unwrap(), "k1", "{pairs:?}");
        }
    }

    #[test]
    fn errors_name_the_problem() {
        for (pairs, word) in [
            ([].as_slice(), "key_missing"),
            (&[("x-api-key", "")], "key_missing"),
            (&[("authorization", "Bearer ")], "key_malformed"),
            (&[("authorization", "Basic dTpw")], "key_malformed"),
            (&[("x-api-key", "é")], "key_malformed"),
            (&[("x-api-key", "k1"), ("authorization", "Bearer k2")], "key_ambiguous"),
            (&[("x-api-key", "k1"), ("x-api-key", "k2")], "key_ambiguous"),
        ] {
            assert_eq!(sent_key(&headers(pairs)).unwrap_err().parts().word, word, "{pairs:?}");
        }
    }
}
