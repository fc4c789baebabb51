//! Decides how a job reacts to each platform error: the only place. What its caller sees is `platforms/src/failure.rs`.
//!
//! Transient errors are retried, the others fail the job.

use std::time::Duration;

use entities::job::Failure;
use platforms::{Missing, PLATFORM_UNAVAILABLE, PlatformError};
use queue::QueueError;
use queue::run::{JobContext, JobError, failure};

/// A request without a response may still be in flight on the platform's side: the next read waits this long.
pub(crate) const SETTLE_PAUSE: Duration = Duration::from_secs(5);

/// An error counts as an outage after this many failed attempts.
const ATTEMPTS_BEFORE_OUTAGE: i32 = 2;
/// Interval between attempts of a bulk job during a platform outage.
const OUTAGE_PAUSE: Duration = Duration::from_secs(20);
const LONGEST_OUTAGE: Duration = Duration::from_secs(6 * 60 * 60);

#[expect(clippy::needless_pass_by_value, reason = "`map_err` passes it by value")]
pub(crate) fn job_error(error: PlatformError) -> JobError {
    let failure = Failure::from(&error);
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

/// What a job enqueues, with what it writes.
pub(crate) fn queue_error(error: QueueError) -> JobError {
    match error {
        QueueError::Database(error) => error.into(),
        error @ QueueError::Arguments(_) => JobError::Retry(failure(500, "internal", error.to_string())),
    }
}

/// For a job without a waiting caller that must be done: errors that an operator has to resolve are retried,
/// because they may be resolved before the last attempt.
pub(crate) fn until_resolved(error: PlatformError) -> JobError {
    match job_error(error) {
        JobError::Fail(failure) if failure.status >= 500 => JobError::Retry(failure),
        error => error,
    }
}

/// During a platform outage a bulk job waits at a fixed interval, after two attempts with backoff: the long backoff
/// would delay a guild by half an hour after the outage, and the outage would use up the attempts. A longer outage
/// fails the job.
pub(crate) fn wait_out(job: &JobContext, error: JobError) -> JobError {
    match error {
        JobError::Retry(failure) if failure.error == PLATFORM_UNAVAILABLE && is_outage(job) => {
            JobError::Snooze(failure, OUTAGE_PAUSE)
        }
        error => error,
    }
}

fn is_outage(job: &JobContext) -> bool {
    job.attempt() > ATTEMPTS_BEFORE_OUTAGE && job.age() < LONGEST_OUTAGE
}

/// What a job writes for another one, or for a page, is not valid JSON.
pub(crate) fn unwritable(error: impl std::fmt::Display) -> JobError {
    tracing::error!(%error, "a plan cannot be written");
    JobError::Fail(failure(500, "internal", "the plan cannot be written"))
}

pub(crate) fn not_linked() -> JobError {
    JobError::Fail(failure(404, "not_linked", "the user has no linked game account in this guild"))
}

pub(crate) fn not_a_member() -> JobError {
    job_error(PlatformError::NotFound(Missing::Member))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transient() -> [PlatformError; 3] {
        let second = Duration::from_secs(1);
        [
            PlatformError::RateLimited { retry_after: second },
            PlatformError::Unavailable { route: "GET /x", cause: "x".into() },
            PlatformError::Stopped { reason: "r".into(), retry_after: Some(second) },
        ]
    }

    fn of_operators() -> [PlatformError; 7] {
        let refused = |code| PlatformError::Forbidden { code, message: "no".into() };
        [
            refused(50_001),
            refused(50_013),
            PlatformError::NotFound(Missing::Guild),
            PlatformError::MembersIntentOff,
            PlatformError::Unauthorized("GUILDHALL_CHAT_TOKEN"),
            PlatformError::NotConfigured("GUILDHALL_PLAY_KEY"),
            PlatformError::Stopped { reason: "r".into(), retry_after: None },
        ]
    }

    fn of_callers() -> [PlatformError; 3] {
        [
            PlatformError::NotFound(Missing::Member),
            PlatformError::NotFound(Missing::Group(entities::GroupId::try_from(7).unwrap())),
            PlatformError::Invalid { code: 50_035, message: "form".into() },
        ]
    }

    fn is_retried(error: &JobError) -> bool {
        matches!(error, JobError::Retry(_) | JobError::Snooze(..))
    }

    #[test]
    fn a_job_is_retried_only_after_a_transient_error() {
        for error in transient() {
            assert!(is_retried(&job_error(error.clone())), "{error}");
        }
        for error in of_operators().into_iter().chain(of_callers()) {
            assert!(!is_retried(&job_error(error.clone())), "{error}");
        }
    }

    #[test]
    fn what_an_operator_has_to_resolve_is_retried_if_nobody_waits() {
        for error in transient().into_iter().chain(of_operators()) {
            assert!(is_retried(&until_resolved(error.clone())), "{error}");
        }
        for error in of_callers() {
            assert!(!is_retried(&until_resolved(error.clone())), "{error}");
        }
    }
}
