//! One error for both platforms, classified by the caller's options.
//!
//! The texts are ours: the platform's own message is kept only for refusals (it names the missing permission), cleaned
//! and cut. Tokens, bodies and player names never appear.

use std::fmt;
use std::time::Duration;

use crate::pacing::numbers::RETRY_UNAVAILABLE;

/// The object that a platform does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Missing {
    Guild,
    Member,
    Role,
    User,
    Channel,
    Ban,
    Group,
    /// A 404 without an explanation.
    Other,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Guild => "guild",
            Self::Member => "guild member",
            Self::Role => "role",
            Self::User => "user",
            Self::Channel => "channel",
            Self::Ban => "ban",
            Self::Group => "group",
            Self::Other => "object",
        })
    }
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

/// The platform's message, made safe for logs and job results: one line, at most 200 characters.
pub(crate) fn clean(message: &str) -> String {
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
