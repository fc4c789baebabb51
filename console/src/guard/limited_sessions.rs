//! Sessions that have used up their limit of pages: their further requests are refused without the database.

use std::time::{Duration, Instant};

use runtime::TimedCache;

use crate::guard::secret::ConsoleSecret;
use crate::host::Over;

/// The window of the limit.
const LONGEST: Duration = Duration::from_mins(1);
const SESSIONS: usize = 10_000;

/// The end of each limit, by the hash of the secret.
pub(crate) struct LimitedSessions(TimedCache<[u8; 32], Instant>);

impl Default for LimitedSessions {
    fn default() -> Self {
        Self(TimedCache::new(SESSIONS, LONGEST))
    }
}

impl LimitedSessions {
    pub(crate) fn note(&self, secret: &ConsoleSecret, over: Over) {
        self.0.insert(secret.hash(), Instant::now() + Duration::from_secs(over.retry_after).min(LONGEST));
    }

    pub(crate) fn check(&self, hash: &[u8; 32]) -> Result<(), Over> {
        let Some(until) = self.0.get(hash) else { return Ok(()) };
        match until.saturating_duration_since(Instant::now()) {
            Duration::ZERO => Ok(()),
            left => Err(Over { retry_after: left.as_secs() + 1 }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_session_is_refused_until_its_window_ends() {
        let (limited, secret) = (LimitedSessions::default(), ConsoleSecret::generate());
        limited.note(&secret, Over { retry_after: 600 });
        let over = limited.check(&secret.hash()).unwrap_err();
        assert!((59..=60).contains(&over.retry_after), "{over:?}");
        limited.check(&ConsoleSecret::generate().hash()).unwrap();
        limited.note(&secret, Over { retry_after: 0 });
        limited.check(&secret.hash()).unwrap();
    }
}
