//! One error for both platforms, classified by the caller's options.
//!
//! The texts are ours: the platform's own message is kept only for refusals (it names the missing permission), cleaned
//! and cut. Tokens, bodies and player names never appear.

use std::time::Duration;

use entities::GroupId;

use crate::pacing::numbers::RETRY_UNAVAILABLE;

/// The chat platform's code of a refusal: the bot is not in the guild, or may not see the requested object.
pub(crate) const MISSING_ACCESS: i64 = 50_001;

/// The object that a platform does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::Display)]
#[strum(serialize_all = "lowercase")]
pub enum Missing {
    Guild,
    #[strum(serialize = "guild member")]
    Member,
    Role,
    User,
    Channel,
    Ban,
    #[strum(to_string = "group {0}")]
    Group(GroupId),
    /// A 404 without an explanation.
    #[strum(serialize = "object")]
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlatformError {
    #[error("the platform knows no such {0}")]
    NotFound(Missing),
    /// 403. `code` is the platform's own number (Discord 50013: a permission is missing or a role stands too high).
    #[error("the platform refused: {message} (code {code})")]
    Forbidden { code: i64, message: String },
    /// 403 for members of a guild the bot is in: the application lacks the privileged intent.
    #[error(
        "the chat platform does not show the guild's members to the bot: turn the Server Members Intent on in the developer \
         portal (Bot, Privileged Gateway Intents)"
    )]
    MembersIntentOff,
    /// 400: not retryable.
    #[error("the platform found the request invalid: {message} (code {code})")]
    Invalid { code: i64, message: String },
    /// 401: the token or key is wrong. Names the variable that holds it.
    #[error("the platform did not accept the credential: check {0}")]
    Unauthorized(&'static str),
    #[error("the platform's rate limit is reached, try again in {} s", retry_after.as_secs_f64().ceil())]
    RateLimited { retry_after: Duration },
    /// 5xx, timeouts, network, an unreadable response. `cause` names the kind of failure, never the body.
    #[error("{route} is unavailable: {cause}")]
    Unavailable { route: &'static str, cause: String },
    /// Names the variable that is not set.
    #[error("{0} is not set, so calls that need it cannot be made")]
    NotConfigured(&'static str),
    /// A circuit is open. With `retry_after` it closes by itself, otherwise an operator has to act.
    #[error("stopped: {reason}")]
    Stopped { reason: String, retry_after: Option<Duration> },
}

pub(crate) type Result<T, E = PlatformError> = std::result::Result<T, E>;

impl PlatformError {
    /// Whether the same call may succeed later without intervention.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::RateLimited { .. } | Self::Unavailable { .. } => true,
            Self::Stopped { retry_after, .. } => retry_after.is_some(),
            _ => false,
        }
    }

    /// When to retry, for retryable errors.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after } => Some(*retry_after),
            Self::Unavailable { .. } => Some(RETRY_UNAVAILABLE),
            Self::Stopped { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    pub(crate) fn unavailable(route: &'static str, cause: impl Into<String>) -> Self {
        Self::Unavailable { route, cause: cause.into() }
    }
}

/// A refusal, as a platform explains it.
pub(crate) struct Refusal {
    /// The platform's own number.
    pub(crate) code: i64,
    pub(crate) message: String,
    /// The subject of a 404.
    pub(crate) missing: Missing,
    /// The variable that holds the credential.
    pub(crate) credential: &'static str,
}

impl Refusal {
    pub(crate) fn classify(self, route: &'static str, status: u16) -> PlatformError {
        let (code, message) = (self.code, clean(&self.message));
        match status {
            401 => PlatformError::Unauthorized(self.credential),
            403 => PlatformError::Forbidden { code, message },
            404 => PlatformError::NotFound(self.missing),
            408 | 500.. => PlatformError::unavailable(route, format!("it answered {status}")),
            400..=499 => PlatformError::Invalid { code, message },
            _ => PlatformError::unavailable(route, format!("it answered {status} instead of a result")),
        }
    }
}

/// The platform's message, made safe for logs and job results: one line, at most 200 characters.
fn clean(message: &str) -> String {
    message.chars().filter(|c| !c.is_control()).take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_transient_errors_are_retryable() {
        let retryable = [
            PlatformError::RateLimited { retry_after: Duration::from_secs(2) },
            PlatformError::unavailable("GET /x", "timed out"),
            PlatformError::Stopped { reason: "r".into(), retry_after: Some(Duration::from_secs(9)) },
        ];
        for error in retryable {
            assert!(error.is_retryable() && error.retry_after().is_some(), "{error}");
        }
        let final_ones = [
            PlatformError::NotFound(Missing::Member),
            PlatformError::Forbidden { code: 50013, message: "Missing Permissions".into() },
            PlatformError::MembersIntentOff,
            PlatformError::Invalid { code: 50035, message: "Invalid Form Body".into() },
            PlatformError::Unauthorized("GUILDHALL_CHAT_TOKEN"),
            PlatformError::NotConfigured("GUILDHALL_CHAT_TOKEN"),
            PlatformError::Stopped { reason: "r".into(), retry_after: None },
        ];
        for error in final_ones {
            assert!(!error.is_retryable() && error.retry_after().is_none(), "{error}");
        }
    }

    #[test]
    fn platform_texts_are_cut_to_one_short_line() {
        assert_eq!(clean("a\nb\u{7}c"), "abc");
        assert_eq!(clean(&"é".repeat(500)).chars().count(), 200);
    }
}
