//! Maps platform errors to job failures: the only place that decides how a job reacts to each.
//!
//! Transient errors are retried, the others fail the job. The status is for a caller that still waits; 502 and 503
//! always carry a retry time (docs/rules.md 2).

use std::time::Duration;

use entities::job::Failure;
use platforms::{Missing, PlatformError};
use queue::run::{JobContext, JobError, failure};

/// A request without a response may still be in flight on the platform's side: the next read waits this long.
pub(crate) const SETTLE: Duration = Duration::from_secs(5);

/// Retry time for errors that an operator has to resolve.
const OPERATOR_PAUSE: Duration = Duration::from_secs(60);

const UNAVAILABLE: &str = "platform_unavailable";
/// After this many failed attempts an error counts as an outage.
const GLITCHES: i32 = 2;
/// Interval between attempts of a bulk job during a platform outage.
const OUTAGE_PAUSE: Duration = Duration::from_secs(20);
const LONGEST_OUTAGE: Duration = Duration::from_secs(6 * 60 * 60);

/// The platform's code for "the bot is not in this guild".
const MISSING_ACCESS: i64 = 50_001;

#[expect(clippy::needless_pass_by_value, reason = "`map_err` passes it by value")]
pub(crate) fn job_error(error: PlatformError) -> JobError {
    let failure = public(&error);
    match error {
        // The backoff outlasts a platform's downtime; the client's few seconds do not.
        PlatformError::Unavailable { .. } => JobError::Retry(failure),
        PlatformError::RateLimited { retry_after }
        | PlatformError::Stopped { retry_after: Some(retry_after), .. } => {
            JobError::Snooze(failure, retry_after)
        }
        _ => JobError::Fail(failure),
    }
}

/// For a job without a waiting caller that must be done: errors that an operator has to resolve are retried,
/// because they may be resolved before the last attempt.
pub(crate) fn until_resolved(error: PlatformError) -> JobError {
    match error {
        PlatformError::NotConfigured(_)
        | PlatformError::Unauthorized(_)
        | PlatformError::Forbidden { .. }
        | PlatformError::Stopped { retry_after: None, .. } => JobError::Retry(public(&error)),
        error => job_error(error),
    }
}

/// During a platform outage a bulk job waits at a fixed interval, after two attempts with backoff: the long backoff
/// would delay a guild by half an hour after the outage, and the outage would use up the attempts. A longer outage
/// fails the job.
pub(crate) fn wait_out(job: &JobContext, error: JobError) -> JobError {
    match error {
        JobError::Retry(failure) if failure.error == UNAVAILABLE && is_outage(job) => {
            JobError::Snooze(failure, OUTAGE_PAUSE)
        }
        error => error,
    }
}

fn is_outage(job: &JobContext) -> bool {
    job.attempt() > GLITCHES && job.age() < LONGEST_OUTAGE
}

/// The failure that a caller sees.
pub(crate) fn public(error: &PlatformError) -> Failure {
    let (status, word, retry) = match error {
        PlatformError::NotFound(missing) => return not_found(*missing),
        PlatformError::Forbidden { code: MISSING_ACCESS, .. } => return not_found(Missing::Guild),
        PlatformError::Forbidden { .. } => (502, "platform_refused", Some(OPERATOR_PAUSE)),
        PlatformError::MembersIntentOff => (502, "members_intent_off", Some(OPERATOR_PAUSE)),
        PlatformError::Invalid { .. } => (422, "platform_invalid", None),
        PlatformError::Unauthorized(_) => (502, "platform_unauthorized", Some(OPERATOR_PAUSE)),
        PlatformError::NotConfigured(_) => (503, "platform_not_configured", Some(OPERATOR_PAUSE)),
        PlatformError::Unavailable { .. } => (503, UNAVAILABLE, error.retry_after()),
        PlatformError::RateLimited { retry_after } => (503, "platform_rate_limited", Some(*retry_after)),
        PlatformError::Stopped { retry_after, .. } => {
            (503, "platform_stopped", retry_after.or(Some(OPERATOR_PAUSE)))
        }
    };
    Failure { retry_after: retry.map(whole_seconds), ..failure(status, word, error.to_string()) }
}

fn not_found(missing: Missing) -> Failure {
    match missing {
        Missing::Member => failure(404, "not_a_member", "the user is not a member of the guild"),
        Missing::User => failure(404, "unknown_user", "the chat platform knows no user with this id"),
        Missing::Role => failure(404, "unknown_role", "the role does not exist in the guild"),
        Missing::Group => failure(
            422,
            "unknown_group",
            "a binding names a game group that does not exist: nothing was changed, so that no member loses a role by mistake",
        ),
        Missing::Guild => failure(
            422,
            "guild_not_reached",
            "the chat platform does not show the guild to the bot: is it a member?",
        ),
        Missing::Channel | Missing::Ban | Missing::Other => {
            failure(404, "not_found", format!("the platform knows no such {missing}"))
        }
    }
}

/// Whole seconds, rounded up, at least one.
fn whole_seconds(pause: Duration) -> u64 {
    (pause.as_secs() + u64::from(pause.subsec_nanos() > 0)).max(1)
}

pub(crate) fn not_linked() -> JobError {
    JobError::Fail(failure(404, "not_linked", "the user has no linked game account in this guild"))
}

pub(crate) fn not_a_member() -> JobError {
    JobError::Fail(not_found(Missing::Member))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<(PlatformError, u16, &'static str)> {
        let second = Duration::from_millis(1_200);
        let refused = |code| PlatformError::Forbidden { code, message: "no".into() };
        vec![
            (PlatformError::NotFound(Missing::Member), 404, "not_a_member"),
            (PlatformError::NotFound(Missing::User), 404, "unknown_user"),
            (PlatformError::NotFound(Missing::Role), 404, "unknown_role"),
            (PlatformError::NotFound(Missing::Group), 422, "unknown_group"),
            (PlatformError::NotFound(Missing::Guild), 422, "guild_not_reached"),
            (PlatformError::NotFound(Missing::Other), 404, "not_found"),
            (refused(50_001), 422, "guild_not_reached"),
            (refused(50_013), 502, "platform_refused"),
            (PlatformError::MembersIntentOff, 502, "members_intent_off"),
            (PlatformError::Invalid { code: 50_035, message: "form".into() }, 422, "platform_invalid"),
            (PlatformError::Unauthorized("GUILDHALL_CHAT_TOKEN"), 502, "platform_unauthorized"),
            (PlatformError::NotConfigured("GUILDHALL_PLAY_KEY"), 503, "platform_not_configured"),
            (PlatformError::RateLimited { retry_after: second }, 503, "platform_rate_limited"),
            (PlatformError::Unavailable { route: "GET /x", cause: "x".into() }, 503, "platform_unavailable"),
            (
                PlatformError::Stopped { reason: "r".into(), retry_after: Some(second) },
                503,
                "platform_stopped",
            ),
            (PlatformError::Stopped { reason: "r".into(), retry_after: None }, 503, "platform_stopped"),
        ]
    }

    #[test]
    fn every_error_has_status_and_code_and_gateway_errors_have_a_retry_time() {
        for (error, status, word) in all() {
            let failure = public(&error);
            assert_eq!((failure.status, failure.error.as_str()), (status, word), "{error}");
            assert_eq!(failure.retry_after.is_some(), status >= 500, "{error}");
        }
    }

    #[test]
    fn a_job_is_retried_only_after_a_transient_error() {
        for (error, ..) in all() {
            let retryable = error.is_retryable();
            let retried = matches!(job_error(error.clone()), JobError::Retry(_) | JobError::Snooze(..));
            assert_eq!(retried, retryable, "{error}");
        }
    }

    #[test]
    fn what_an_operator_has_to_resolve_is_retried_if_nobody_waits() {
        for (error, status, _) in all() {
            let retried = matches!(until_resolved(error.clone()), JobError::Retry(_) | JobError::Snooze(..));
            let resolvable = matches!(error, PlatformError::Forbidden { .. });
            let resolvable =
                resolvable || (status >= 500 && !matches!(error, PlatformError::MembersIntentOff));
            assert_eq!(retried, resolvable, "{error}");
        }
    }

    #[test]
    fn pauses_are_rounded_up_and_messages_name_the_variable() {
        let limited = public(&PlatformError::RateLimited { retry_after: Duration::from_millis(1_200) });
        assert_eq!(limited.retry_after, Some(2));
        let unset = public(&PlatformError::NotConfigured("GUILDHALL_PLAY_KEY"));
        assert!(unset.message.contains("GUILDHALL_PLAY_KEY"));
        let intent = public(&PlatformError::MembersIntentOff);
        assert!(
            intent.message.contains("Server Members Intent") && !intent.message.contains("is it a member")
        );
    }
}
