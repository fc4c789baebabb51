//! How far a chunk is and how its members fared; the checkpoint, the noted failures and the result come from here.

use std::time::{Duration, Instant};

use entities::job_failure::{self, NewFailure};
use platforms::{ForbiddenStreak, PlatformError};
use queue::kinds::PlannedChange;
use queue::run::{JobContext, JobError, failure};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Step;
use crate::apply::Applied;
use crate::errors::{job_error, public};

/// A checkpoint is kept after this many members or this long, whichever comes first. The estimate of the time left goes
/// by these notes: with rarer ones it would be wrong for small guilds (`queue::eta`).
const KEEP_EACH: usize = 50;
const KEEP_AFTER: Duration = Duration::from_millis(250);

/// The checkpoint: members up to `next` are settled.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct Reached {
    next: usize,
    updated: i64,
    failed: i64,
    skipped: i64,
}

pub(super) struct Tally {
    reached: Reached,
    members: usize,
    /// A member was left for the next run. What was under way behind it is let through, and seen to by that run.
    gap: bool,
    failures: Vec<NewFailure>,
    streak: ForbiddenStreak,
    /// The platform has accepted a change of this run.
    welcome: bool,
    kept: usize,
    kept_at: Instant,
}

impl Tally {
    pub(super) fn resume(job: &JobContext, members: usize) -> Self {
        let reached: Reached = job.last_checkpoint().unwrap_or_default();
        let streak = ForbiddenStreak::new();
        Self {
            reached,
            members,
            gap: false,
            failures: Vec::new(),
            streak,
            welcome: false,
            kept: reached.next,
            kept_at: Instant::now(),
        }
    }

    pub(super) fn next(&self) -> usize {
        self.reached.next
    }

    pub(super) fn is_complete(&self) -> bool {
        self.reached.next >= self.members
    }

    /// How many calls may be under way. While it may be that all are refused, no more than it takes to know.
    pub(super) fn room(&self, most: usize) -> usize {
        let left = self.streak.left();
        if self.welcome && left == ForbiddenStreak::STOPS_AT { most } else { most.min(left as usize) }
    }

    /// Counts the next member's step. An error ends the chunk: one that may pass leaves the member for the next run.
    pub(super) fn settle(
        &mut self,
        change: &PlannedChange,
        step: Result<Step, PlatformError>,
    ) -> Option<JobError> {
        if self.gap {
            return None;
        }
        let refused: Result<(), PlatformError> = match step {
            Ok(Step::Skipped) => {
                self.reached.skipped += 1;
                self.reached.next += 1;
                return None;
            }
            Ok(Step::Applied(Applied { nickname_refused: None })) => {
                self.reached.updated += 1;
                self.welcome = true;
                Ok(())
            }
            Ok(Step::Applied(Applied { nickname_refused: Some(refused) })) => {
                self.note(change, "nickname_refused", &refused);
                Err(refused)
            }
            Err(error) => {
                let Some(word) = word(&error) else {
                    self.gap = true;
                    return Some(job_error(error));
                };
                self.note(change, word, &error);
                Err(error)
            }
        };
        self.reached.next += 1;
        self.streak.observe(&refused).err().map(|stopped| refused_thrice(change, &stopped))
    }

    fn note(&mut self, change: &PlannedChange, error: &'static str, cause: &PlatformError) {
        self.reached.failed += 1;
        self.failures.push(NewFailure { chat: change.user, error, message: public(cause).message });
    }

    pub(super) async fn keep_if_due(&mut self, job: &JobContext) -> Result<(), JobError> {
        if self.reached.next - self.kept >= KEEP_EACH || self.kept_at.elapsed() >= KEEP_AFTER {
            self.keep(job).await?;
        }
        Ok(())
    }

    /// Commits the checkpoint, the progress and the failures noted since the last one.
    pub(super) async fn keep(&mut self, job: &JobContext) -> Result<(), JobError> {
        let Reached { next, failed, .. } = self.reached;
        job.set_progress(signed(next), signed(self.members), failed);
        if next == self.kept {
            return Ok(());
        }
        let transaction = job.begin().await?;
        job.set_counters(self.result());
        let bulk = job.parent().unwrap_or_else(|| job.id());
        job_failure::note(&transaction, bulk, std::mem::take(&mut self.failures), job.now()).await?;
        job.checkpoint(transaction, &self.reached).await?;
        (self.kept, self.kept_at) = (next, Instant::now());
        Ok(())
    }

    /// Added to the parent's counters. A member that an earlier, cut run had changed already counts as skipped.
    pub(super) fn result(&self) -> Value {
        let Reached { updated, failed, skipped, .. } = self.reached;
        json!({ "updated": updated, "failed": failed, "skipped": skipped })
    }
}

fn signed(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// The word for what concerns this one member; `None` for what concerns the whole chunk.
fn word(error: &PlatformError) -> Option<&'static str> {
    use platforms::Missing;
    match error {
        PlatformError::NotFound(Missing::Guild | Missing::Group) => None,
        PlatformError::NotFound(Missing::Role) => Some("unknown_role"),
        PlatformError::NotFound(_) => Some("not_a_member"),
        PlatformError::Forbidden { .. } => Some("platform_refused"),
        PlatformError::Invalid { .. } => Some("platform_invalid"),
        _ => None,
    }
}

/// Names what was refused last: the permission to look for is one of these.
fn refused_thrice(change: &PlannedChange, stopped: &PlatformError) -> JobError {
    let roles: Vec<String> = change.add.iter().chain(&change.remove).map(ToString::to_string).collect();
    let what = match (roles.is_empty(), &change.nick) {
        (true, _) => "a nickname".to_owned(),
        (false, None) => format!("roles {}", roles.join(", ")),
        (false, Some(_)) => format!("roles {} and a nickname", roles.join(", ")),
    };
    let message = format!("{stopped} (the last change refused was {what})");
    JobError::Fail(failure(422, "permission_missing", message))
}

#[cfg(test)]
mod tests {
    use platforms::Missing;

    use super::*;
    use crate::testing::{chat, roles};

    fn tally(members: usize) -> Tally {
        Tally {
            reached: Reached::default(),
            members,
            gap: false,
            failures: Vec::new(),
            streak: ForbiddenStreak::new(),
            welcome: false,
            kept: 0,
            kept_at: Instant::now(),
        }
    }

    fn change() -> PlannedChange {
        PlannedChange { user: chat(7), held: vec![], add: roles(&[5]), remove: vec![], nick: None }
    }

    fn refused() -> PlatformError {
        PlatformError::Forbidden { code: 50_013, message: "Missing Permissions".into() }
    }

    fn applied(nickname_refused: Option<PlatformError>) -> Step {
        Step::Applied(Applied { nickname_refused })
    }

    #[test]
    fn members_that_fail_are_noted_and_the_chunk_goes_on() {
        let mut tally = tally(5);
        let steps = [
            Ok(applied(None)),
            Ok(Step::Skipped),
            Err(PlatformError::NotFound(Missing::Member)),
            Err(refused()),
            Ok(applied(Some(refused()))),
        ];
        for step in steps {
            assert!(tally.settle(&change(), step).is_none());
        }
        assert!(tally.is_complete());
        assert_eq!(tally.result(), json!({ "updated": 1, "failed": 3, "skipped": 1 }));
        let words: Vec<_> = tally.failures.iter().map(|failure| failure.error).collect();
        assert_eq!(words, ["not_a_member", "platform_refused", "nickname_refused"]);
    }

    #[test]
    fn an_error_that_may_pass_leaves_the_member_for_the_next_run() {
        let mut tally = tally(2);
        let broken =
            tally.settle(&change(), Err(PlatformError::Unavailable { route: "PATCH", cause: "x".into() }));
        assert!(matches!(broken, Some(JobError::Retry(_))));
        assert!(tally.settle(&change(), Ok(applied(None))).is_none());
        assert_eq!((tally.next(), tally.failures.len()), (0, 0), "what follows the gap is not counted");
    }

    #[test]
    fn a_missing_credential_or_guild_ends_the_chunk() {
        for error in
            [PlatformError::NotConfigured("GUILDHALL_CHAT_TOKEN"), PlatformError::NotFound(Missing::Guild)]
        {
            assert!(matches!(tally(1).settle(&change(), Err(error)), Some(JobError::Fail(_))));
        }
    }

    #[test]
    fn where_all_may_be_refused_no_call_is_sent_that_is_not_needed_to_know() {
        let mut tally = tally(9);
        assert_eq!(tally.room(8), 3, "nothing is known yet");
        tally.settle(&change(), Err(refused()));
        assert_eq!(tally.room(8), 2);
        tally.settle(&change(), Ok(applied(None)));
        assert_eq!((tally.room(8), tally.room(1)), (8, 1));
        tally.settle(&change(), Ok(applied(Some(refused()))));
        assert_eq!(tally.room(8), 2);
        tally.settle(&change(), Err(PlatformError::NotFound(Missing::Member)));
        assert_eq!(tally.room(8), 2, "a member who left says nothing about permissions");
    }

    #[test]
    fn three_refusals_in_a_row_stop_naming_the_role() {
        let mut tally = tally(9);
        for step in [Err(refused()), Ok(applied(None)), Err(refused()), Ok(applied(Some(refused())))] {
            assert!(tally.settle(&change(), step).is_none());
        }
        let Some(JobError::Fail(failure)) = tally.settle(&change(), Err(refused())) else {
            panic!("goes on")
        };
        assert!(failure.message.contains("roles 5"), "{}", failure.message);
        assert_eq!((failure.status, tally.next()), (422, 5));
    }
}
