//! What can be wrong with one answer of a sign-in, as faults inject it: the answer of a platform that is misused, or of
//! somebody who poses as it.

use serde::Deserialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Flaw {
    /// The person comes back with `access_denied`.
    Denied,
    /// The person comes back with another state.
    WrongState,
    /// The person comes back with a code that has expired.
    ExpiredCode,
    /// The rest: an ID token that no client may accept.
    WrongNonce,
    WrongIssuer,
    WrongAudience,
    ExpiredToken,
    /// Signed by a key that is not published.
    UnknownKey,
    /// Signed by another key than the named one.
    WrongSignature,
    /// `alg` is `none`.
    Unsigned,
    /// `alg` is `HS256`, with the public key as the secret.
    Hs256,
    NoIdToken,
    /// A valid one without name and age, as the platform may send it.
    BareIdToken,
    /// The data is that of another person than the token's.
    WrongSubject,
}

const AUTHORIZE: [&str; 2] = ["POST /oauth2/authorize", "POST /oauth/v1/authorize"];
const TOKEN: [&str; 1] = ["POST /oauth/v1/token"];
const USER: [&str; 1] = ["GET /oauth/v1/userinfo"];

impl Flaw {
    /// The routes whose answers can have it.
    pub(crate) fn routes(self) -> &'static [&'static str] {
        match self {
            Self::Denied | Self::WrongState | Self::ExpiredCode => &AUTHORIZE,
            Self::WrongSubject => &USER,
            _ => &TOKEN,
        }
    }
}
