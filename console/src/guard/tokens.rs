//! Access tokens of the chat platform, from other dashboards. The platform's answer is cached for less than a
//! minute, so that many sockets of one token cost one call, and a revoked token is noticed. No token is
//! stored.

use std::time::{Duration, Instant};

use entities::ChatId;
use platforms::{Platforms, SignInError};
use runtime::{Limits, TimedCache};
use sha2::{Digest, Sha256};
use tokio::sync::Mutex;

use crate::guard::live_refusal::LiveRefusal;
use crate::guard::strangers;

/// The platform's answer is used for this long.
const KNOWN_FOR: Duration = Duration::from_secs(45);
/// While the platform is away, its last answer is used for this long.
const KEPT_FOR: Duration = Duration::from_secs(5 * 60);
const CAPACITY: usize = 10_000;
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
    limits: Limits,
    platforms: Platforms,
    known: TimedCache<TokenHash, (Instant, ChatId)>,
    asking: [Mutex<()>; AT_ONCE],
}

impl Tokens {
    pub(crate) fn new(limits: Limits, platforms: Platforms) -> Self {
        let known = TimedCache::new(CAPACITY, KEPT_FOR);
        Self { limits, platforms, known, asking: Default::default() }
    }

    fn fresh(&self, hash: TokenHash) -> Option<ChatId> {
        self.known.get(&hash).filter(|(read, _)| read.elapsed() < KNOWN_FOR).map(|(_, user)| user)
    }

    /// The owner of the token.
    pub(crate) async fn owner(&self, token: &str) -> Result<ChatId, LiveRefusal> {
        let sign_in = self.platforms.sign_in.as_ref().ok_or(LiveRefusal::BadToken)?;
        // A guild's key, even a misspelt one, is not sent to the platform.
        if token.starts_with(OUR_KEYS) {
            return Err(LiveRefusal::BadToken);
        }
        let hash = TokenHash::of(token);
        if let Some(user) = self.fresh(hash) {
            return Ok(user);
        }
        let _asking = self.asking[usize::from(hash.0[0]) % AT_ONCE].lock().await;
        if let Some(user) = self.fresh(hash) {
            return Ok(user);
        }
        if !strangers::may_ask_about_token(&self.limits).await {
            return self.known.get(&hash).map(|(_, user)| user).ok_or(LiveRefusal::Unavailable);
        }
        let read = Instant::now();
        match sign_in.user_of(token).await {
            Ok(user) => {
                self.known.insert(hash, (read, user.id));
                Ok(user.id)
            }
            Err(SignInError::Unauthorized) => {
                self.known.remove(&hash);
                Err(LiveRefusal::BadToken)
            }
            Err(error) => self.known.get(&hash).map(|(_, user)| user).ok_or_else(|| {
                tracing::warn!(%error, "cannot check an access token");
                LiveRefusal::Unavailable
            }),
        }
    }
}
