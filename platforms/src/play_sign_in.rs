//! Sign-in with the game platform: OpenID Connect, with the scopes `openid` and `profile`.
//!
//! The ID token says who the person is. It counts only if the platform has signed it, for our application and for this
//! very attempt (its nonce), and has not expired. No token is stored; the platform is asked to end them.

mod keys;

use std::time::Duration;

use entities::{PlayId, Timestamp};
use runtime::{PLAY_CLIENT_SECRET, Secret};
use serde::Deserialize;
use tokio::time::timeout;

use keys::Keys;

use crate::error::PlatformError;
use crate::exchange::Http;
use crate::oauth::{
    Application, Attempt, Begun, Expected, IdToken, IdTokenError, OPENID, Provider, Result, SignInError,
    Tokens,
};
use crate::pacing::Pacer;
use crate::play::Player;
use crate::routes::play as routes;

const SCOPES: &[&str] = &[OPENID, "profile"];
/// Tokens of the platform are signed texts.
const LONGEST_TOKEN: usize = 8192;
/// The person waits until the tokens are ended, but not longer than this: they end by themselves.
const REVOCATION_PATIENCE: Duration = Duration::from_secs(2);

/// The application that people sign in with on the game platform.
pub struct PlaySignIn {
    application: Application,
    keys: Keys,
    /// Names of the platform in ID tokens.
    issuers: Vec<String>,
    base: String,
}

/// `GET /oauth/v1/userinfo`.
#[derive(Deserialize)]
struct UserInfo {
    sub: PlayId,
    /// Absent without the scope `profile`.
    preferred_username: Option<String>,
    created_at: Option<i64>,
}

impl PlaySignIn {
    /// `base`: of the platform's authorization server, without the version.
    pub(crate) fn new(
        http: Http,
        pacer: Pacer,
        base: &str,
        issuers: Vec<String>,
        id: String,
        secret: &Secret,
    ) -> Result<Self, PlatformError> {
        let base = format!("{base}/v1");
        let provider = Provider {
            authorize: format!("{base}/authorize"),
            token: format!("{base}/token"),
            token_route: routes::TOKEN,
            scopes: SCOPES,
            longest_token: LONGEST_TOKEN,
            variable: PLAY_CLIENT_SECRET,
        };
        let application = Application::new(http, pacer, provider, id, secret)?;
        Ok(Self { application, keys: Keys::new(format!("{base}/certs")), issuers, base })
    }

    /// A new attempt, which comes back to `redirect` with `code` and `state`, or with `error` and `state`
    /// ([`SignInError::of_play_callback`]). `owner` names whose attempt it is, such as the id of a session: nobody else
    /// can finish it.
    pub fn authorize_url(&self, redirect: &str, owner: &str, now: Timestamp) -> Attempt {
        self.application.attempt(redirect, &[], owner, now)
    }

    /// The attempt of a browser's callback: `None` unless it was begun here for this owner and has not expired.
    pub fn begun(&self, state: &str, verifier: &str, owner: &str, now: Timestamp) -> Option<Begun> {
        self.application.begun(state, verifier, owner, now)
    }

    /// The account with which the attempt was authorized. `redirect` as in [`PlaySignIn::authorize_url`]. The caller
    /// limits attempts.
    pub async fn finish(&self, code: &str, begun: &Begun, redirect: &str, now: Timestamp) -> Result<Player> {
        let tokens = self.application.exchange(code, begun, redirect).await?;
        let player = self.player(&tokens, &begun.nonce(), now).await;
        self.revoke(&tokens).await;
        player
    }

    async fn player(&self, tokens: &Tokens, nonce: &str, now: Timestamp) -> Result<Player> {
        let token = IdToken::read(tokens.id.as_deref().ok_or(IdTokenError::Missing)?)?;
        let key = self.keys.find(&self.application, &token.key_id, now).await?;
        let expected = Expected { issuers: &self.issuers, audience: &self.application.id, nonce, now };
        let claims = token.verified(&key, &expected)?;
        let shown = match (claims.preferred_username, claims.created_at) {
            (Some(name), Some(created_at)) => (Some(name), Some(created_at)),
            _ => self.user_info(claims.sub, &tokens.access).await?,
        };
        let (Some(name), created_at) = shown else { return Err(SignInError::Unauthorized) };
        let created_at = created_at.and_then(|seconds| Timestamp::from_timestamp(seconds, 0));
        Ok(Player { id: claims.sub, name, created_at })
    }

    /// Name and age of the token's owner, who must be the one of the ID token (OpenID Connect Core, section 5.3.2).
    async fn user_info(&self, player: PlayId, access_token: &str) -> Result<(Option<String>, Option<i64>)> {
        let url = format!("{}/userinfo", self.base);
        let info: UserInfo = self.application.read(routes::USERINFO, &url, access_token).await?;
        if info.sub != player {
            return Err(IdTokenError::Subject.into());
        }
        Ok((info.preferred_username, info.created_at))
    }

    /// The refresh token stands for the whole session.
    async fn revoke(&self, tokens: &Tokens) {
        let token = tokens.refresh.as_ref().unwrap_or(&tokens.access);
        let url = format!("{}/token/revoke", self.base);
        let revoking = self.application.revoke(routes::REVOKE, &url, token);
        match timeout(REVOCATION_PATIENCE, revoking).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::debug!(%error, "tokens of a sign-in were not revoked"),
            Err(_) => tracing::debug!("tokens of a sign-in were not revoked in time"),
        }
    }
}
