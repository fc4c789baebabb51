//! The key pair that the chat platform signs interactions with. It is constant, so that configurations can name it.

use ring::error::KeyRejected;
use ring::signature::Ed25519KeyPair;

const SEED: &[u8; 32] = b"guildhall simulator: chat key 01";
/// Of another application.
const OTHER_SEED: &[u8; 32] = b"guildhall simulator: chat key 02";

/// What is wrong with a signature, so that the service must refuse it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SignatureFlaw {
    WrongSignature,
    NoSignature,
    /// Signed an hour ago.
    OldTimestamp,
    /// After the signing.
    ChangedBody,
    /// The same request twice.
    Replayed,
    OtherKey,
}

/// The signature over timestamp and body, in hexadecimal digits.
pub(crate) fn sign(timestamp: &str, body: &[u8], flaw: Option<SignatureFlaw>) -> Result<String, KeyRejected> {
    let seed = if flaw == Some(SignatureFlaw::OtherKey) { OTHER_SEED } else { SEED };
    let pair = Ed25519KeyPair::from_seed_unchecked(seed)?;
    let mut signature = pair.sign(&[timestamp.as_bytes(), body].concat()).as_ref().to_vec();
    if let (Some(SignatureFlaw::WrongSignature), Some(byte)) = (flaw, signature.first_mut()) {
        *byte ^= 1;
    }
    Ok(hex(&signature))
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use ring::signature::KeyPair as _;

    use super::*;
    use crate::options::Application;

    #[test]
    fn the_public_key_is_that_of_the_pair() {
        let pair = Ed25519KeyPair::from_seed_unchecked(SEED).unwrap();
        assert_eq!(hex(pair.public_key().as_ref()), Application::PUBLIC_KEY);
    }
}
