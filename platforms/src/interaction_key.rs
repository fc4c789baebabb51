//! Whether an interaction that arrives by HTTP comes from the chat platform: it signs the time and the body with Ed25519.

use std::time::Duration;

use entities::Timestamp;
use ring::signature::{ED25519, UnparsedPublicKey};

/// A call that was signed longer ago is refused; so is one from the future, because clocks differ.
pub const REPLAY_WINDOW: Duration = Duration::from_mins(5);
const SIGNATURE_BYTES: usize = 64;

/// The public key of the application.
#[derive(Clone)]
pub struct InteractionKey(UnparsedPublicKey<[u8; 32]>);

impl InteractionKey {
    pub(crate) fn new(key: [u8; 32]) -> Self {
        Self(UnparsedPublicKey::new(&ED25519, key))
    }

    pub fn public_key(&self) -> String {
        hex::encode(self.0.as_ref())
    }

    /// `signature` and `timestamp` are the values of `X-Signature-Ed25519` and `X-Signature-Timestamp`.
    pub fn verifies(&self, signature: &str, timestamp: &str, body: &[u8], now: Timestamp) -> bool {
        let (mut bytes, window) = ([0; SIGNATURE_BYTES], REPLAY_WINDOW.as_secs());
        let is_recent = timestamp.parse::<i64>().is_ok_and(|at| at.abs_diff(now.timestamp()) <= window);
        is_recent
            && hex::decode_to_slice(signature, &mut bytes).is_ok()
            && self.0.verify(&[timestamp.as_bytes(), body].concat(), &bytes).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use ring::signature::{Ed25519KeyPair, KeyPair as _};

    use super::*;

    #[test]
    fn only_the_bytes_that_were_signed_lately_are_accepted() {
        let pair = Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap();
        let key = InteractionKey::new(pair.public_key().as_ref().try_into().unwrap());
        let sign = |text: &str| hex::encode(pair.sign(text.as_bytes()));
        let at = |second| Timestamp::from_timestamp(second, 0).unwrap();
        let good = sign("1000{}");
        assert!(key.verifies(&good, "1000", b"{}", at(1000)));
        assert!(key.verifies(&good.to_uppercase(), "1000", b"{}", at(1300)));
        assert!(
            !key.verifies(&good, "1000", b"{}", at(1301)) && !key.verifies(&good, "1000", b"{}", at(699))
        );
        // The same bytes, cut elsewhere: another time.
        assert!(!key.verifies(&good, "100", b"0{}", at(1000)));
        for (signature, timestamp, body) in [
            (good.as_str(), "1000", &b"{ }"[..]),
            (&good, "1001", b"{}"),
            (&good[2..], "1000", b"{}"),
            ("", "1000", b"{}"),
            (&"0".repeat(128), "1000", b"{}"),
            (&sign("1000{}x"), "1000", b"{}"),
            (&sign("now{}"), "now", b"{}"),
        ] {
            assert!(!key.verifies(signature, timestamp, body, at(1000)), "{signature} {timestamp}");
        }
        let other = Ed25519KeyPair::from_seed_unchecked(&[8; 32]).unwrap();
        assert!(!key.verifies(&hex::encode(other.sign(b"1000{}")), "1000", b"{}", at(1000)));
    }
}
