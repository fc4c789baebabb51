//! Attempts to sign in, which are signed: the platform is asked only about recent ones that were begun here.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use entities::Timestamp;
use hmac::{Hmac, KeyInit, Mac};
use runtime::Secret;
use sha2::{Digest as _, Sha256};

/// How long a person may take on the platform's page, in seconds.
pub const ATTEMPT_SECONDS: i64 = 600;

/// One attempt to sign in. `state` and `verifier` belong to the browser that began it: only a callback with the same
/// `state`, from the same browser, may be finished, with this `verifier`.
pub struct Attempt {
    /// The URL for the browser.
    pub url: String,
    pub state: String,
    pub verifier: String,
}

/// An attempt of ours that has not expired. Only the sign-in that began it makes one.
pub struct Begun {
    pub(super) verifier: String,
}

impl Begun {
    /// The nonce that the ID token of this attempt carries.
    pub(crate) fn nonce(&self) -> String {
        nonce(&self.verifier)
    }
}

/// Made from the verifier, so that whoever keeps an attempt keeps one secret. The page's URL shows the nonce, and nobody
/// can find the verifier by it.
pub(super) fn nonce(verifier: &str) -> String {
    let digest = Sha256::new().chain_update("guildhall nonce\0").chain_update(verifier).finalize();
    BASE64_URL_SAFE_NO_PAD.encode(digest)
}

/// Signs with the secret of the application, which all processes have.
pub(super) struct Signer(Hmac<Sha256>);

impl Signer {
    /// Attempts of one platform are none of the other, even if both applications had one secret. Never `None`: any
    /// secret is long enough.
    pub(super) fn new(secret: &Secret, platform: &str) -> Option<Self> {
        let keyed = Hmac::<Sha256>::new_from_slice(secret.expose().as_bytes()).ok()?;
        Some(Self(keyed.chain_update(format!("guildhall sign-in {platform}\0"))))
    }

    /// The state of an attempt: its end, a random text, and the signature of both with the verifier and the owner.
    pub(super) fn state(&self, random: &str, verifier: &str, owner: &str, now: Timestamp) -> String {
        let text = format!("{:x}.{random}", now.timestamp() + ATTEMPT_SECONDS);
        let signature = self.over(&text, verifier, owner).finalize().into_bytes();
        let hex: Vec<String> = signature.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{text}.{}", hex.concat())
    }

    pub(super) fn read(&self, state: &str, verifier: &str, owner: &str, now: Timestamp) -> Option<Begun> {
        let (text, signature) = state.rsplit_once('.')?;
        let digits = |at: usize| u8::from_str_radix(signature.get(at..at + 2)?, 16).ok();
        let signature: Vec<u8> = (0..signature.len()).step_by(2).map(digits).collect::<Option<_>>()?;
        self.over(text, verifier, owner).verify_slice(&signature).ok()?;
        let (end, _) = text.split_once('.')?;
        let is_open = i64::from_str_radix(end, 16).ok()? > now.timestamp();
        is_open.then(|| Begun { verifier: verifier.to_owned() })
    }

    fn over(&self, text: &str, verifier: &str, owner: &str) -> Hmac<Sha256> {
        // With its length no part can be read as the end of another one.
        [text, verifier, owner].iter().fold(self.0.clone(), |signed, part| {
            signed.chain_update(part.len().to_be_bytes()).chain_update(part)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_open_attempt_of_this_application_is_read() {
        let at =
            |seconds: i64| Timestamp::UNIX_EPOCH + std::time::Duration::from_secs(seconds.unsigned_abs());
        let signer = |secret: &str, platform| Signer::new(&Secret::from(secret), platform).unwrap();
        let (own, others) = (signer("one", "chat"), [signer("two", "chat"), signer("one", "play")]);
        let state = own.state("random", "verifier", "owner", at(1_000));
        assert_eq!(
            own.read(&state, "verifier", "owner", at(1_000 + ATTEMPT_SECONDS - 1)).unwrap().verifier,
            "verifier"
        );
        assert!(own.read(&state, "verifier", "owner", at(1_000 + ATTEMPT_SECONDS)).is_none());
        for (verifier, owner) in
            [("another", "owner"), ("verifier", "another"), ("verifierowner", ""), ("", "")]
        {
            assert!(own.read(&state, verifier, owner, at(1_000)).is_none(), "{verifier} {owner}");
        }
        assert!(others.iter().all(|other| other.read(&state, "verifier", "owner", at(1_000)).is_none()));
        let later = state.replacen("640", "641", 1);
        let cut = &state[..state.len() - 2];
        for forged in
            [later.as_str(), cut, "", ".", "random", "640.random.", "640.random.zz", &format!("{state}é")]
        {
            assert!(own.read(forged, "verifier", "owner", at(1_000)).is_none(), "{forged}");
        }
    }

    #[test]
    fn each_attempt_has_its_nonce() {
        let [one, other] = ["verifier", "another"].map(|verifier| Begun { verifier: verifier.to_owned() });
        assert_eq!(one.nonce(), nonce("verifier"));
        assert_ne!(one.nonce(), other.nonce());
        assert_eq!(one.nonce().len(), 43);
    }
}
