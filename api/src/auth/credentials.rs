//! The key's text in a request: `X-API-Key: k`, `Authorization: Bearer k` or `Authorization: ApiKey k` (docs/rules.md 1).

use http::{HeaderMap, header};

use crate::response::error::ApiError;

const KEY_HEADER: &str = "x-api-key";
const SCHEMES: [&str; 2] = ["bearer", "apikey"];

/// The key sent in any of the three ways; the same key sent twice counts as one.
pub(crate) fn read(headers: &HeaderMap) -> Result<&str, ApiError> {
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
        None => Err(missing()),
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

pub(crate) fn missing() -> ApiError {
    ApiError::key(
        "key_missing",
        "no key was sent; send it as `X-API-Key: <key>` or `Authorization: Bearer <key>`",
    )
}

pub(crate) fn malformed() -> ApiError {
    ApiError::key("key_malformed", "what was sent is not a key: its form or checksum is wrong")
}

pub(crate) fn unknown() -> ApiError {
    ApiError::key("key_unknown", "this key is not known")
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
            assert_eq!(read(&headers(pairs)).unwrap(), "k1", "{pairs:?}");
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
            assert_eq!(read(&headers(pairs)).unwrap_err().parts().word, word, "{pairs:?}");
        }
    }
}
