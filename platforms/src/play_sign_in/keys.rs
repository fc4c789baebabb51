//! The platform's public keys, which change. They are cached; an unknown key id has them read again, at most once a minute.

use std::collections::HashMap;

use entities::Timestamp;
use serde::Deserialize;
use tokio::sync::Mutex;

use crate::oauth::{Application, IdTokenError, PublicKey, Result};
use crate::routes::play as routes;

/// An unknown key id within this many seconds after a read is taken for a forgery.
const REREAD_AFTER: i64 = 60;
/// A key that the platform has withdrawn counts for this many seconds at most.
const KEPT_FOR: i64 = 3_600;

pub(super) struct Keys {
    url: String,
    /// Locked while they are read: others would read the same.
    known: Mutex<Option<Known>>,
}

struct Known {
    read_at: Timestamp,
    by_id: HashMap<String, PublicKey>,
}

/// `GET /oauth/v1/certs` (RFC 7517).
#[derive(Deserialize)]
struct KeySet {
    keys: Vec<Jwk>,
}

/// Keys for other algorithms and purposes are skipped.
#[derive(Deserialize)]
struct Jwk {
    kty: String,
    kid: Option<String>,
    #[serde(rename = "use")]
    purpose: Option<String>,
    alg: Option<String>,
    crv: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

impl Keys {
    pub(super) fn new(url: String) -> Self {
        Self { url, known: Mutex::default() }
    }

    pub(super) async fn find(
        &self,
        application: &Application,
        id: &str,
        now: Timestamp,
    ) -> Result<PublicKey> {
        let mut known = self.known.lock().await;
        if let Some(key) = known.as_ref().and_then(|known| known.find(id, now)) {
            return Ok(key?);
        }
        let set: KeySet = application.public(routes::CERTS, &self.url).await?;
        let by_id: HashMap<_, _> = set.keys.into_iter().filter_map(Jwk::public_key).collect();
        let key = by_id.get(id).cloned();
        *known = Some(Known { read_at: now, by_id });
        Ok(key.ok_or(IdTokenError::UnknownKey)?)
    }
}

impl Known {
    /// `None`: they have to be read again.
    fn find(&self, id: &str, now: Timestamp) -> Option<Result<PublicKey, IdTokenError>> {
        let age = (now - self.read_at).num_seconds();
        match self.by_id.get(id) {
            Some(key) if (0..KEPT_FOR).contains(&age) => Some(Ok(key.clone())),
            None if (0..REREAD_AFTER).contains(&age) => Some(Err(IdTokenError::UnknownKey)),
            _ => None,
        }
    }
}

impl Jwk {
    fn public_key(self) -> Option<(String, PublicKey)> {
        let is = |field: Option<String>, value: &str| field.is_none_or(|field| field == value);
        let fits = self.kty == "EC"
            && self.crv.as_deref() == Some("P-256")
            && is(self.purpose, "sig")
            && is(self.alg, "ES256");
        let key = PublicKey::of_coordinates(&self.x?, &self.y?)?;
        fits.then_some((self.kid?, key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: &str = "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU";
    const Y: &str = "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0";

    fn ids(set: &str) -> Vec<String> {
        let set: KeySet = serde_json::from_str(set).unwrap();
        set.keys.into_iter().filter_map(Jwk::public_key).map(|(id, _)| id).collect()
    }

    #[test]
    fn only_keys_that_sign_with_es256_are_taken() {
        let point = format!(r#""x":"{X}","y":"{Y}""#);
        let set = format!(
            r#"{{"keys":[{{"kty":"EC","crv":"P-256","kid":"a","use":"sig","alg":"ES256",{point}}},
            {{"kty":"EC","crv":"P-256","kid":"b",{point}}},
            {{"kty":"RSA","kid":"c","use":"sig","alg":"RS256","n":"AQAB","e":"AQAB"}},
            {{"kty":"EC","crv":"P-384","kid":"d",{point}}},
            {{"kty":"EC","crv":"P-256","kid":"e","use":"enc",{point}}},
            {{"kty":"EC","crv":"P-256","kid":"f","alg":"ECDH-ES",{point}}},
            {{"kty":"EC","crv":"P-256",{point}}},
            {{"kty":"EC","crv":"P-256","kid":"g","x":"{X}"}},
            {{"kty":"EC","crv":"P-256","kid":"h","x":"AA","y":"{Y}"}}]}}"#
        );
        assert_eq!(ids(&set), ["a", "b"]);
    }

    #[test]
    fn keys_are_read_again_when_they_are_old_or_lack_one() {
        let at = |seconds: i64| Timestamp::from_timestamp(1_000_000 + seconds, 0).unwrap();
        let key = PublicKey::of_coordinates(X, Y).unwrap();
        let known = Known { read_at: at(0), by_id: HashMap::from([("a".to_owned(), key)]) };
        let found = |id, seconds| known.find(id, at(seconds)).map(|key| key.is_ok());
        assert_eq!([found("a", 0), found("a", KEPT_FOR - 1)], [Some(true); 2]);
        assert_eq!([found("b", 0), found("b", REREAD_AFTER - 1)], [Some(false); 2]);
        let read_again = [found("a", KEPT_FOR), found("b", REREAD_AFTER), found("a", -1), found("b", -1)];
        assert_eq!(read_again, [None; 4]);
    }
}
