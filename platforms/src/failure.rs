//! What a caller sees of a platform's error, as the end of a job and as an answer of the API (docs/rules.md 2).
//!
//! 404 and 422: the same call fails again. 502 and 503: it may succeed later, so there is always a retry time.

use std::time::Duration;

use entities::job::Failure;

use crate::error::{MISSING_ACCESS, Missing, PlatformError};

/// The error word of a platform that does not answer.
pub const PLATFORM_UNAVAILABLE: &str = "platform_unavailable";

/// Retry time for errors that an operator has to resolve.
const OPERATOR_PAUSE: Duration = Duration::from_secs(60);

impl From<&PlatformError> for Failure {
    fn from(error: &PlatformError) -> Self {
        use PlatformError as P;
        let (status, word) = match error {
            P::NotFound(missing) => return not_found(*missing),
            P::Forbidden { code: MISSING_ACCESS, .. } => return not_found(Missing::Guild),
            P::Forbidden { .. } => (502, "platform_refused"),
            P::MembersIntentOff => (502, "members_intent_off"),
            P::Unauthorized(_) => (502, "platform_unauthorized"),
            P::Invalid { .. } => (422, "platform_invalid"),
            P::NotConfigured(_) => (503, "platform_not_configured"),
            P::Unavailable { .. } => (503, PLATFORM_UNAVAILABLE),
            P::RateLimited { .. } => (503, "platform_rate_limited"),
            P::Stopped { .. } => (503, "platform_stopped"),
        };
        failure(status, word, error.to_string(), error.retry_after())
    }
}

fn not_found(missing: Missing) -> Failure {
    let (status, word, message) = match missing {
        Missing::Member => (404, "not_a_member", "the user is not a member of the guild"),
        Missing::User => (404, "unknown_user", "the chat platform knows no user with this id"),
        Missing::Role => (404, "unknown_role", "the role does not exist in the guild"),
        Missing::Group(group) => {
            let message = format!(
                "a binding names the game group {group}, which does not exist: nothing was changed, so that no member loses a \
                 role by mistake"
            );
            return failure(422, "unknown_group", message, None);
        }
        Missing::Guild => (
            503,
            "guild_not_reached",
            "the chat platform does not show the guild to the bot: is it a member?",
        ),
        Missing::Channel | Missing::Ban | Missing::Other => {
            return failure(404, "not_found", PlatformError::NotFound(missing).to_string(), None);
        }
    };
    failure(status, word, message.to_owned(), None)
}

fn failure(status: u16, word: &str, message: String, retry_after: Option<Duration>) -> Failure {
    let retry_after = (status >= 500).then(|| whole_seconds(retry_after.unwrap_or(OPERATOR_PAUSE)));
    Failure { status, error: word.to_owned(), message, retry_after }
}

/// Whole seconds, rounded up, at least one.
fn whole_seconds(pause: Duration) -> u64 {
    (pause.as_secs() + u64::from(pause.subsec_nanos() > 0)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_has_a_status_and_a_word_and_only_502_and_503_have_a_retry_time() {
        let second = Duration::from_millis(1_200);
        let group = entities::GroupId::try_from(123_123).unwrap();
        let refused = |code| PlatformError::Forbidden { code, message: "no".into() };
        let invalid = PlatformError::Invalid { code: 50_035, message: "form".into() };
        let stopped = |retry_after| PlatformError::Stopped { reason: "r".into(), retry_after };
        let cases = [
            (PlatformError::NotFound(Missing::Member), 404, "not_a_member", None),
            (PlatformError::NotFound(Missing::User), 404, "unknown_user", None),
            (PlatformError::NotFound(Missing::Role), 404, "unknown_role", None),
            (PlatformError::NotFound(Missing::Group(group)), 422, "unknown_group", None),
            (PlatformError::NotFound(Missing::Guild), 503, "guild_not_reached", Some(60)),
            (PlatformError::NotFound(Missing::Other), 404, "not_found", None),
            (refused(50_001), 503, "guild_not_reached", Some(60)),
            (refused(50_013), 502, "platform_refused", Some(60)),
            (PlatformError::MembersIntentOff, 502, "members_intent_off", Some(60)),
            (invalid, 422, "platform_invalid", None),
            (PlatformError::Unauthorized("GUILDHALL_CHAT_TOKEN"), 502, "platform_unauthorized", Some(60)),
            (PlatformError::NotConfigured("GUILDHALL_PLAY_KEY"), 503, "platform_not_configured", Some(60)),
            (PlatformError::RateLimited { retry_after: second }, 503, "platform_rate_limited", Some(2)),
            (PlatformError::unavailable("GET /x", "timed out"), 503, "platform_unavailable", Some(5)),
            (stopped(Some(second)), 503, "platform_stopped", Some(2)),
            (stopped(None), 503, "platform_stopped", Some(60)),
        ];
        for (error, status, word, retry_after) in cases {
            let failure = Failure::from(&error);
            let shown = (failure.status, failure.error.as_str(), failure.retry_after);
            assert_eq!(shown, (status, word, retry_after), "{error}");
        }
    }

    #[test]
    fn a_message_names_what_somebody_has_to_set() {
        let unset = Failure::from(&PlatformError::NotConfigured("GUILDHALL_PLAY_KEY"));
        assert!(unset.message.contains("GUILDHALL_PLAY_KEY"));
        let group = entities::GroupId::try_from(123_123).unwrap();
        let unknown = Failure::from(&PlatformError::NotFound(Missing::Group(group)));
        assert!(unknown.message.contains("the game group 123123,"));
        let intent = Failure::from(&PlatformError::MembersIntentOff).message;
        assert!(intent.contains("Server Members Intent") && !intent.contains("is it a member"));
    }
}
