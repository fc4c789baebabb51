//! Grants of people to an application, on either platform: codes, which live for a minute and are exchanged for one
//! access token, and these tokens.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use entities::{ChatId, PlayId};
use rand::distr::{Alphanumeric, SampleString as _};
use sha2::{Digest as _, Sha256};

/// As long as the platform's.
const TEXT_LENGTH: usize = 30;
/// Of a verifier, by RFC 7636; the platform refuses shorter ones.
const VERIFIER_LENGTHS: std::ops::RangeInclusive<usize> = 43..=128;

/// Accounts of one platform.
pub(crate) trait Account: Copy + Eq {
    const TOKEN_LIFE: Duration;
}

impl Account for ChatId {
    const TOKEN_LIFE: Duration = Duration::from_hours(7 * 24);
}

impl Account for PlayId {
    const TOKEN_LIFE: Duration = Duration::from_mins(15);
}

/// The grant of one person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Grant<A> {
    pub(crate) user: A,
    pub(crate) scopes: Vec<String>,
    /// Of an attempt with OpenID Connect.
    pub(crate) nonce: Option<String>,
}

impl<A> Grant<A> {
    pub(crate) fn has(&self, scope: &str) -> bool {
        self.scopes.iter().any(|one| one == scope)
    }
}

/// An authorization that waits for its exchange.
pub(crate) struct Code<A> {
    pub(crate) grant: Grant<A>,
    pub(crate) redirect: String,
    /// The S256 challenge of an attempt with PKCE.
    pub(crate) challenge: Option<String>,
    pub(crate) until: Instant,
}

/// Parameters of an exchange beside the code.
pub(crate) struct Proof<'a> {
    pub(crate) redirect: Option<&'a str>,
    pub(crate) verifier: Option<&'a str>,
}

/// The platform's `error` and `error_description`.
pub(crate) type Refused = (&'static str, &'static str);

struct Token<A> {
    grant: Grant<A>,
    refresh: String,
    until: Instant,
}

/// A new access token.
pub(crate) struct Issued<A> {
    pub(crate) access: String,
    pub(crate) refresh: String,
    pub(crate) grant: Grant<A>,
}

pub(crate) struct Grants<A> {
    codes: HashMap<String, Code<A>>,
    tokens: HashMap<String, Token<A>>,
}

impl<A> Default for Grants<A> {
    fn default() -> Self {
        Self { codes: HashMap::new(), tokens: HashMap::new() }
    }
}

impl<A: Account> Grants<A> {
    /// The text of the code.
    pub(crate) fn authorize(&mut self, code: Code<A>, now: Instant) -> String {
        self.codes.retain(|_, code| code.until > now);
        self.tokens.retain(|_, token| token.until > now);
        let text = random_text();
        self.codes.insert(text.clone(), code);
        text
    }

    /// A code is used up by its first exchange, whether that succeeds or not.
    pub(crate) fn exchange(
        &mut self,
        code: &str,
        proof: &Proof<'_>,
        now: Instant,
    ) -> Result<Issued<A>, Refused> {
        let code = self.codes.remove(code).filter(|code| code.until > now);
        let code = code.ok_or(("invalid_grant", "Invalid \"code\" in request."))?;
        if proof.redirect != Some(&code.redirect) {
            return Err(("invalid_request", "Invalid \"redirect_uri\" in request."));
        }
        check_verifier(code.challenge.as_deref(), proof.verifier)?;
        let issued = Issued { access: random_text(), refresh: random_text(), grant: code.grant };
        let (grant, refresh) = (issued.grant.clone(), issued.refresh.clone());
        self.tokens.insert(issued.access.clone(), Token { grant, refresh, until: now + A::TOKEN_LIFE });
        Ok(issued)
    }

    /// The grant behind an access token, and how long it is still valid.
    pub(crate) fn find(&self, access: &str, now: Instant) -> Option<(&Grant<A>, Duration)> {
        let token = self.tokens.get(access).filter(|token| token.until > now)?;
        Some((&token.grant, token.until - now))
    }

    /// By an access or a refresh token: the platform then ends all tokens of that person for the application.
    pub(crate) fn revoke(&mut self, token: &str) {
        let meant = |(access, one): &(&String, &Token<A>)| *access == token || one.refresh == token;
        let Some(user) = self.tokens.iter().find(meant).map(|(_, token)| token.grant.user) else { return };
        self.tokens.retain(|_, token| token.grant.user != user);
    }
}

fn check_verifier(challenge: Option<&str>, verifier: Option<&str>) -> Result<(), Refused> {
    let Some(challenge) = challenge else { return Ok(()) };
    let verifier = verifier.ok_or(("invalid_request", "Missing \"code_verifier\""))?;
    if !VERIFIER_LENGTHS.contains(&verifier.len()) {
        return Err(("invalid_request", "Invalid \"code_verifier\""));
    }
    if BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(verifier)) == challenge {
        return Ok(());
    }
    Err(("invalid_grant", "Invalid \"code_verifier\" in request."))
}

pub(crate) fn random_text() -> String {
    Alphanumeric.sample_string(&mut rand::rng(), TEXT_LENGTH)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIFE: Duration = Duration::from_secs(60);
    const REDIRECT: &str = "http://127.0.0.1/callback";
    /// RFC 7636, appendix B.
    const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

    fn code(user: i64, challenge: Option<&str>, now: Instant) -> Code<ChatId> {
        let scopes = vec!["identify".to_owned()];
        let grant = Grant { user: user.try_into().unwrap(), scopes, nonce: None };
        let challenge = challenge.map(str::to_owned);
        Code { grant, redirect: REDIRECT.to_owned(), challenge, until: now + LIFE }
    }

    fn proof(verifier: Option<&'static str>) -> Proof<'static> {
        Proof { redirect: Some(REDIRECT), verifier }
    }

    /// The error of an exchange with this proof.
    fn refused(challenge: Option<&str>, proof: &Proof<'_>) -> &'static str {
        let (mut grants, now) = (Grants::default(), Instant::now());
        let code = grants.authorize(code(7, challenge, now), now);
        grants.exchange(&code, proof, now).map(|_| ()).unwrap_err().0
    }

    #[test]
    fn a_code_buys_one_token_within_its_life() {
        let (mut grants, now) = (Grants::default(), Instant::now());
        let first = grants.authorize(code(7, Some(CHALLENGE), now), now);
        let issued =
            grants.exchange(&first, &proof(Some(VERIFIER)), now).unwrap_or_else(|error| panic!("{error:?}"));
        assert_eq!(grants.find(&issued.access, now), Some((&issued.grant, ChatId::TOKEN_LIFE)));
        assert_eq!(grants.find(&issued.access, now + ChatId::TOKEN_LIFE), None);
        assert_eq!(grants.find(&issued.refresh, now), None);
        assert!(grants.exchange(&first, &proof(Some(VERIFIER)), now).is_err());
        let second = grants.authorize(code(7, None, now), now);
        assert!(grants.exchange(&second, &proof(None), now + LIFE).is_err());
    }

    #[test]
    fn a_code_needs_its_redirect_and_its_verifier() {
        let elsewhere = Proof { redirect: Some("http://127.0.0.1/"), verifier: Some(VERIFIER) };
        assert_eq!(refused(Some(CHALLENGE), &elsewhere), "invalid_request");
        assert_eq!(refused(None, &Proof { redirect: None, verifier: None }), "invalid_request");
        assert_eq!(refused(Some(CHALLENGE), &proof(None)), "invalid_request");
        assert_eq!(refused(Some(CHALLENGE), &proof(Some("short"))), "invalid_request");
        let other = Some("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXK");
        assert_eq!(refused(Some(CHALLENGE), &proof(other)), "invalid_grant");
    }

    #[test]
    fn a_revocation_ends_all_tokens_of_the_person() {
        let (mut grants, now) = (Grants::default(), Instant::now());
        let [one, two, other] = [7, 7, 8].map(|user| {
            let code = grants.authorize(code(user, None, now), now);
            grants.exchange(&code, &proof(None), now).unwrap_or_else(|error| panic!("{error:?}"))
        });
        grants.revoke("unknown");
        grants.revoke(&two.refresh);
        let valid = [&one, &two, &other].map(|token| grants.find(&token.access, now).is_some());
        assert_eq!(valid, [false, false, true]);
    }
}
