//! Cookies of the console. All are `__Host-`: only for this host, over TLS (or on the same machine), hidden
//! from scripts.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::{HeaderMap, HeaderValue, header};
use serde::Serialize;
use serde::de::DeserializeOwned;

pub(crate) const SESSION: &str = "__Host-guildhall";
/// An attempt to sign in with the chat platform.
pub(crate) const ATTEMPT: &str = "__Host-guildhall-attempt";
/// Light or dark.
pub(crate) const THEME: &str = "__Host-guildhall-theme";
/// The code of an attempt to link, with the guild behind it.
pub(crate) const CODE: &str = "__Host-guildhall-code";
/// A proof of a game account.
pub(crate) const PROOF: &str = "__Host-guildhall-proof";

pub(crate) fn read<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(found, _)| *found == name).map(|(_, value)| value)
}

/// `seconds`: until the browser forgets it.
pub(crate) fn set(name: &str, value: &str, seconds: i64) -> Option<HeaderValue> {
    let text = format!("{name}={value}; Path=/; Max-Age={seconds}; Secure; HttpOnly; SameSite=Lax");
    HeaderValue::from_str(&text).ok()
}

pub(crate) fn forget(name: &str) -> Option<HeaderValue> {
    set(name, "", 0)
}

/// A value of our own in a cookie. Nothing secret: the browser can read and change it.
pub(crate) fn pack<T: Serialize>(value: &T) -> String {
    serde_json::to_vec(value).map(|json| URL_SAFE_NO_PAD.encode(json)).unwrap_or_default()
}

pub(crate) fn unpack<T: DeserializeOwned>(text: &str) -> Option<T> {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(text).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_cookie_is_found_among_others() {
        let headers = HeaderMap::from_iter([(
            header::COOKIE,
            HeaderValue::from_static("a=1; __Host-guildhall=x; b=2"),
        )]);
        assert_eq!((read(&headers, SESSION), read(&headers, ATTEMPT)), (Some("x"), None));
    }
}
