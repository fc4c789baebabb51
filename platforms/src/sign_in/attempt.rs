//! Attempts to sign in, which are signed: the platform is asked only about recent ones that were begun here.

use entities::Timestamp;
use hmac::{Hmac, KeyInit, Mac};
use runtime::Secret;
use sha2::Sha256;

/// How long a person may take on the platform's page, in seconds.
pub const ATTEMPT_SECONDS: i64 = 600;

/// Signs with the secret of the application, which all processes have.
pub(super) struct Signer(Hmac<Sha256>);

/// An attempt of ours that has not expired. Only [`SignIn::begun`](super::SignIn::begun) makes one.
pub struct Begun {
    pub(super) verifier: String,
}

impl Signer {
    /// Never `None`: any secret is long enough.
    pub(super) fn new(secret: &Secret) -> Option<Self> {
        Some(Self(Hmac::new_from_slice(secret.expose().as_bytes()).ok()?))
    }

    /// The state of an attempt: its end, a random text, and the signature of both with the verifier.
    pub(super) fn state(&self, random: &str, verifier: &str, now: Timestamp) -> String {
        let text = format!("{:x}.{random}", now.timestamp() + ATTEMPT_SECONDS);
        let signature = self.over(&text, verifier).finalize().into_bytes();
        let hex: Vec<String> = signature.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{text}.{}", hex.concat())
    }

    pub(super) fn read(&self, state: &str, verifier: &str, now: Timestamp) -> Option<Begun> {
        let (text, signature) = state.rsplit_once('.')?;
        let digits = |at: usize| u8::from_str_radix(signature.get(at..at + 2)?, 16).ok();
        let signature: Vec<u8> = (0..signature.len()).step_by(2).map(digits).collect::<Option<_>>()?;
        self.over(text, verifier).verify_slice(&signature).ok()?;
        let (end, _) = text.split_once('.')?;
        let is_open = i64::from_str_radix(end, 16).ok()? > now.timestamp();
        is_open.then(|| Begun { verifier: verifier.to_owned() })
    }

    fn over(&self, text: &str, verifier: &str) -> Hmac<Sha256> {
        self.0
            .clone()
            .chain_update("guildhall sign-in\0")
            .chain_update(text)
            .chain_update("\0")
            .chain_update(verifier)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_open_attempt_of_this_application_is_read() {
        let at =
            |seconds: i64| Timestamp::UNIX_EPOCH + std::time::Duration::from_secs(seconds.unsigned_abs());
        let [own, other] = ["one", "two"].map(|secret| Signer::new(&Secret::from(secret)).unwrap());
        let state = own.state("random", "verifier", at(1_000));
        assert_eq!(
            own.read(&state, "verifier", at(1_000 + ATTEMPT_SECONDS - 1)).unwrap().verifier,
            "verifier"
        );
        assert!(own.read(&state, "verifier", at(1_000 + ATTEMPT_SECONDS)).is_none());
        assert!(own.read(&state, "another", at(1_000)).is_none());
        assert!(other.read(&state, "verifier", at(1_000)).is_none());
        let later = state.replacen("640", "641", 1);
        let cut = &state[..state.len() - 2];
        for forged in
            [later.as_str(), cut, "", ".", "random", "640.random.", "640.random.zz", &format!("{state}é")]
        {
            assert!(own.read(forged, "verifier", at(1_000)).is_none(), "{forged}");
        }
    }
}
