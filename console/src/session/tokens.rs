//! Access tokens of the chat platform, from other dashboards. The platform's answer is cached for less than a
//! minute, so that many sockets of one token cost one call, and a revoked token is noticed. No token is
//! stored.

use std::time::{Duration, Instant};

use entities::ChatId;
use moka::sync::Cache;
use platforms::SignInError;
use sha2::{Digest, Sha256};
use tokio::sync::Mutex;

use crate::Console;
use crate::session::live::LiveRefusal;
use crate::strangers;

/// The platform's answer is used for this long.
const KNOWN_FOR: Duration = Duration::from_secs(45);
/// While the platform is away, its last answer is used for this long.
const KEPT_FOR: Duration = Duration::from_secs(5 * 60);
const CAPACITY: u64 = 10_000;
/// How keys of guilds begin.
const OUR_KEYS: &str = "gh_";
/// Tokens that are checked at the same time; the same token only once.
const AT_ONCE: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TokenHash([u8; 32]);

impl TokenHash {
    pub(crate) fn of(token: &str) -> Self {
        Self(Sha256::digest(token.as_bytes()).into())
    }
}

pub(crate) struct Tokens {
    known: Cache<TokenHash, (Instant, ChatId)>,
    asking: [Mutex<()>; AT_ONCE],
}

impl Default for Tokens {
    fn default() -> Self {
        let known = Cache::builder().max_capacity(CAPACITY).time_to_live(KEPT_FOR).build();
        Self { known, asking: Default::default() }
    }
}

impl Tokens {
    fn fresh(&self, hash: TokenHash) -> Option<ChatId> {
        self.known.get(&hash).filter(|(read, _)| read.elapsed() < KNOWN_FOR).map(|(_, user)| user)
    }
}

impl Console {
    /// The owner of the token.
    pub(crate) async fn user_of_token(&self, token: &str) -> Result<ChatId, LiveRefusal> {
        let sign_in = self.platforms.sign_in.as_ref().ok_or(LiveRefusal::BadToken)?;
        // A guild's key, even a misspelt one, is not sent to the platform.
        if token.starts_with(OUR_KEYS) {
            return Err(LiveRefusal::BadToken);
        }
        let (hash, tokens) = (TokenHash::of(token), &self.tokens);
        if let Some(user) = tokens.fresh(hash) {
            return Ok(user);
        }
        let _asking = tokens.asking[usize::from(hash.0[0]) % AT_ONCE].lock().await;
        if let Some(user) = tokens.fresh(hash) {
            return Ok(user);
        }
        if !strangers::may_ask_about_token(self).await {
            return tokens.known.get(&hash).map(|(_, user)| user).ok_or(LiveRefusal::Unavailable);
        }
        let read = Instant::now();
        match sign_in.user_of(token).await {
            Ok(user) => {
                tokens.known.insert(hash, (read, user.id));
                Ok(user.id)
            }
            Err(SignInError::Unauthorized) => {
                tokens.known.invalidate(&hash);
                Err(LiveRefusal::BadToken)
            }
            Err(error) => tokens.known.get(&hash).map(|(_, user)| user).ok_or_else(|| {
                tracing::warn!(%error, "cannot check an access token");
                LiveRefusal::Unavailable
            }),
        }
    }
}
