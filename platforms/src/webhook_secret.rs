//! The signature of the game platform's webhooks: HMAC-SHA-256 of the time and the body, with a secret that is entered there
//! and here.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use entities::Timestamp;
use ring::hmac;

use crate::interaction_key::REPLAY_WINDOW;

/// Of one webhook.
#[derive(Clone)]
pub struct WebhookSecret(Arc<hmac::Key>);

impl WebhookSecret {
    pub fn new(secret: &str) -> Self {
        Self(Arc::new(hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes())))
    }

    /// `signature` is the value of `roblox-signature`: `t=<second>,v1=<base64>`.
    pub fn verifies(&self, signature: &str, body: &[u8], now: Timestamp) -> bool {
        let part = |name: &str| {
            signature.split(',').find_map(|part| part.trim().strip_prefix(name)?.strip_prefix('='))
        };
        let (Some(at), Some(tag)) = (part("t"), part("v1")) else { return false };
        let is_recent =
            at.parse::<i64>().is_ok_and(|at| at.abs_diff(now.timestamp()) <= REPLAY_WINDOW.as_secs());
        let signed = [at.as_bytes(), b".", body].concat();
        is_recent && STANDARD.decode(tag).is_ok_and(|tag| hmac::verify(&self.0, &signed, &tag).is_ok())
    }

    /// For those who play the platform.
    pub fn sign(&self, body: &[u8], at: Timestamp) -> String {
        let second = at.timestamp();
        let signed = [second.to_string().as_bytes(), b".", body].concat();
        format!("t={second},v1={}", STANDARD.encode(hmac::sign(&self.0, &signed)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_signed_lately_with_the_secret_is_accepted() {
        let at = |second| Timestamp::from_timestamp(second, 0).unwrap();
        let secret = WebhookSecret::new("whsec");
        let good = secret.sign(b"{}", at(1000));
        assert!(good.starts_with("t=1000,v1="), "{good}");
        assert!(secret.verifies(&good, b"{}", at(1300)) && secret.verifies(&good, b"{}", at(700)));
        assert!(!secret.verifies(&good, b"{}", at(1301)) && !secret.verifies(&good, b"{ }", at(1000)));
        assert!(!WebhookSecret::new("other").verifies(&good, b"{}", at(1000)));
        for bad in ["", "t=1000", "v1=aa", "t=x,v1=aa", &good.replace("t=1000", "t=1001"), "t=1000,v1=!!"] {
            assert!(!secret.verifies(bad, b"{}", at(1000)), "{bad}");
        }
    }
}
