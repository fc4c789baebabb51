//! ID tokens of OpenID Connect: signed with ES256 (RFC 7515, RFC 7518), and with nothing else.
//!
//! The algorithm is ours, not the token's: a token that names another one is refused before its key is looked up.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use entities::{PlayId, Timestamp};
use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};

const ALGORITHM: &str = "ES256";
/// By how much the clocks of the platform and of this machine may differ, in seconds.
const CLOCK_SKEW: i64 = 60;
/// Of a coordinate of a point of P-256, in bytes.
const COORDINATE: usize = 32;
/// Heads an uncompressed point (SEC 1, section 2.3.3).
const UNCOMPRESSED: u8 = 4;

/// Why an ID token, or what came with it, cannot be accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IdTokenError {
    #[error("there is none")]
    Missing,
    #[error("it is malformed")]
    Malformed,
    #[error("its algorithm is not ES256")]
    Algorithm,
    #[error("no published key has its key id")]
    UnknownKey,
    #[error("its signature does not fit")]
    Signature,
    #[error("its issuer is another one")]
    Issuer,
    #[error("it is for another application")]
    Audience,
    #[error("it has expired, or is not valid yet")]
    Expired,
    #[error("it belongs to another attempt")]
    Nonce,
    /// The platform's data of the person names another one than the token.
    #[error("its subject is another one")]
    Subject,
}

type Result<T, E = IdTokenError> = std::result::Result<T, E>;

/// A point of P-256.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct PublicKey([u8; 1 + 2 * COORDINATE]);

/// What a token has to say.
pub(crate) struct Expected<'e> {
    pub(crate) issuers: &'e [String],
    /// The id of the application.
    pub(crate) audience: &'e str,
    pub(crate) nonce: &'e str,
    pub(crate) now: Timestamp,
}

/// A token that nothing vouches for yet.
pub(crate) struct IdToken<'t> {
    /// Header and claims, as they were sent.
    signed: &'t str,
    claims: &'t str,
    signature: &'t str,
    pub(crate) key_id: String,
}

#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: Option<String>,
    /// Extensions that a reader has to know; we know none.
    crit: Option<IgnoredAny>,
}

/// What an accepted token says.
#[derive(Deserialize)]
pub(crate) struct Claims {
    iss: String,
    aud: Audience,
    exp: i64,
    nbf: Option<i64>,
    nonce: Option<String>,
    pub(crate) sub: PlayId,
    pub(crate) preferred_username: Option<String>,
    /// Of the account, in seconds since 1970.
    pub(crate) created_at: Option<i64>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Audience {
    One(String),
    Several(Vec<String>),
}

impl PublicKey {
    /// From the coordinates of a JSON Web Key.
    pub(crate) fn of_coordinates(x: &str, y: &str) -> Option<Self> {
        let [x, y] = [x, y].map(|text| BASE64_URL_SAFE_NO_PAD.decode(text).ok());
        let (x, y) = (x.filter(|x| x.len() == COORDINATE)?, y?);
        [&[UNCOMPRESSED], x.as_slice(), &y].concat().try_into().ok().map(Self)
    }
}

impl<'t> IdToken<'t> {
    pub(crate) fn read(token: &'t str) -> Result<Self> {
        let (signed, signature) = token.rsplit_once('.').ok_or(IdTokenError::Malformed)?;
        let (header, claims) = signed.split_once('.').ok_or(IdTokenError::Malformed)?;
        if claims.contains('.') {
            return Err(IdTokenError::Malformed);
        }
        let Header { alg, kid, crit } = decoded(header)?;
        if alg != ALGORITHM {
            return Err(IdTokenError::Algorithm);
        }
        if crit.is_some() {
            return Err(IdTokenError::Malformed);
        }
        Ok(Self { signed, claims, signature, key_id: kid.ok_or(IdTokenError::UnknownKey)? })
    }

    /// Its claims, if the owner of `key` has signed them and they are as expected.
    pub(crate) fn verified(&self, key: &PublicKey, expected: &Expected<'_>) -> Result<Claims> {
        let signature = BASE64_URL_SAFE_NO_PAD.decode(self.signature).map_err(|_| IdTokenError::Malformed)?;
        let key = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, &key.0);
        key.verify(self.signed.as_bytes(), &signature).map_err(|_| IdTokenError::Signature)?;
        let claims: Claims = decoded(self.claims)?;
        claims.check(expected)?;
        Ok(claims)
    }
}

impl Claims {
    fn check(&self, expected: &Expected<'_>) -> Result<()> {
        let now = expected.now.timestamp();
        if !expected.issuers.contains(&self.iss) {
            return Err(IdTokenError::Issuer);
        }
        // Other audiences could use the token too.
        let is_ours = match &self.aud {
            Audience::One(one) => one == expected.audience,
            Audience::Several(several) => matches!(several.as_slice(), [one] if one == expected.audience),
        };
        if !is_ours {
            return Err(IdTokenError::Audience);
        }
        let begins = self.nbf.is_none_or(|begin| begin <= now.saturating_add(CLOCK_SKEW));
        if !begins || self.exp <= now.saturating_sub(CLOCK_SKEW) {
            return Err(IdTokenError::Expired);
        }
        if self.nonce.as_deref() != Some(expected.nonce) {
            return Err(IdTokenError::Nonce);
        }
        Ok(())
    }
}

fn decoded<T: DeserializeOwned>(part: &str) -> Result<T> {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(part).map_err(|_| IdTokenError::Malformed)?;
    serde_json::from_slice(&bytes).map_err(|_| IdTokenError::Malformed)
}

#[cfg(test)]
mod tests;
