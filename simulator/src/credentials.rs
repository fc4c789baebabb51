//! Accepts requests with the right token or key in the platform's format.

use http::HeaderMap;

use crate::reply::Reply;
use crate::route::{Side, authorization};

/// `None` accepts any credential in the right format.
#[derive(Debug, Clone, Default)]
pub struct Credentials {
    pub chat_token: Option<String>,
    pub play_key: Option<String>,
}

impl Credentials {
    /// The credential, the key of the game platform's limit; empty if none is needed.
    pub(crate) fn check<'a>(&self, side: Side, headers: &'a HeaderMap) -> Result<&'a [u8], Reply> {
        match side {
            Side::Chat => {
                let token = authorization(headers, "Bot");
                let token = token.filter(|token| is_right(token, self.chat_token.as_ref()));
                token.map(str::as_bytes).ok_or_else(Reply::chat_unauthorized)
            }
            Side::Cloud => {
                let given =
                    headers.get("x-api-key").and_then(|value| value.to_str().ok()).unwrap_or_default();
                let key = Some(given).filter(|key| is_right(key, self.play_key.as_ref()));
                key.map(str::as_bytes).ok_or_else(Reply::play_unauthorized)
            }
            Side::SignIn | Side::PlaySignIn | Side::Open | Side::Users | Side::Control => Ok(&[]),
        }
    }

    /// The token of the bot, as the event stream gets it.
    pub(crate) fn is_bot(&self, token: &str) -> bool {
        is_right(token.strip_prefix("Bot ").unwrap_or(token), self.chat_token.as_ref())
    }
}

fn is_right(given: &str, expected: Option<&String>) -> bool {
    let well_formed = !given.is_empty() && !given.contains(char::is_whitespace);
    well_formed && expected.is_none_or(|expected| expected == given)
}
