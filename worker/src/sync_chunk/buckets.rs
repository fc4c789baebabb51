//! What is left to send, one list for each of the platform's buckets, and how the calls of each fare.
//!
//! A member with changes for both buckets stands in both lists, and has ended when both parts have.

use std::collections::{HashMap, VecDeque};

use entities::ChatId;
use platforms::{ForbiddenStreak, PlatformError};
use queue::run::{JobError, failure};

use super::Due;
use super::progress::{Member, Settled, failed, word};
use crate::apply::{Applied, Halt, Refusal, Sender};
use crate::errors::job_error;
use crate::wanted::Change;

/// Calls under way at a time in one bucket: enough for one chunk to fill the pace of bulk calls at answer times of up to
/// 0.3 s.
const IN_FLIGHT: usize = 12;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Calls for single roles.
    Roles,
    /// A nickname, or the full list.
    Update,
}

/// A member's calls in one bucket.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part<'a> {
    kind: Kind,
    due: &'a Due,
}

#[derive(Default)]
struct Bucket<'a> {
    left: VecDeque<Part<'a>>,
    under_way: usize,
    streak: ForbiddenStreak,
    /// The platform has accepted a change.
    welcome: bool,
}

/// A member whose parts have not all ended.
#[derive(Default)]
struct Open {
    parts: usize,
    applied: Applied,
    /// The error that concerns the member as a whole.
    error: Option<PlatformError>,
    /// Something is left for the next run.
    unfinished: bool,
}

pub(super) struct Buckets<'a> {
    roles: Bucket<'a>,
    update: Bucket<'a>,
    open: HashMap<usize, Open>,
}

impl Part<'_> {
    pub(super) fn member(&self) -> usize {
        self.due.0
    }

    pub(super) async fn carry_out(self, sender: Sender<'_>) -> Result<Applied, Halt> {
        let (_, user, change) = self.due;
        match self.kind {
            Kind::Roles => sender.roles(*user, change).await,
            Kind::Update if change.is_several() => sender.rewrite(*user, change).await,
            Kind::Update => sender.nickname(*user, change).await,
        }
    }
}

impl<'a> Bucket<'a> {
    fn next(&mut self) -> Option<Part<'a>> {
        if self.under_way >= self.room() {
            return None;
        }
        let part = self.left.pop_front()?;
        self.under_way += 1;
        Some(part)
    }

    /// How many calls may be under way. While it may be that all are refused, no more than it takes to know.
    fn room(&self) -> usize {
        let left = self.streak.left();
        if self.welcome && left == ForbiddenStreak::STOPS_AT {
            IN_FLIGHT
        } else {
            IN_FLIGHT.min(left as usize)
        }
    }

    /// `Some`: it was the third refusal in a row.
    fn observe(&mut self, outcome: &Result<Applied, Halt>) -> Option<PlatformError> {
        self.under_way -= 1;
        let result = match outcome {
            Ok(applied) => match refusal(applied) {
                Some(error) => Err(error.clone()),
                None if applied.done.is_empty() => return None,
                None => {
                    self.welcome = true;
                    Ok(())
                }
            },
            Err(Halt::Platform(error)) => Err(error.clone()),
            Err(Halt::Job(_) | Halt::Stopped) => return None,
        };
        self.streak.observe(&result).err()
    }
}

fn refusal(applied: &Applied) -> Option<&PlatformError> {
    let refused = |refusal: &&Refusal| matches!(refusal.error, PlatformError::Forbidden { .. });
    applied.refused.iter().find(refused).map(|refusal| &refusal.error)
}

impl<'a> Buckets<'a> {
    pub(super) fn new(due: &'a [Due]) -> Self {
        let mut buckets = Self { roles: Bucket::default(), update: Bucket::default(), open: HashMap::new() };
        for member in due {
            let (index, _, change) = member;
            let several = change.is_several();
            let mut parts = 0;
            if change.changes_roles() && !several {
                buckets.roles.left.push_back(Part { kind: Kind::Roles, due: member });
                parts += 1;
            }
            if change.nick.is_some() || several {
                buckets.update.left.push_back(Part { kind: Kind::Update, due: member });
                parts += 1;
            }
            buckets.open.insert(*index, Open { parts, ..Open::default() });
        }
        buckets
    }

    /// The next part to begin, of whichever bucket has room.
    pub(super) fn next(&mut self) -> Option<Part<'a>> {
        self.roles.next().or_else(|| self.update.next())
    }

    /// Takes in how a part ended: the member where it has ended with it, and the error where the chunk has.
    pub(super) fn settle(&mut self, part: Part<'_>, outcome: Result<Applied, Halt>) -> Settled {
        let bucket = match part.kind {
            Kind::Roles => &mut self.roles,
            Kind::Update => &mut self.update,
        };
        let stopped = bucket.observe(&outcome);
        let (index, user, change) = part.due;
        let open = self.open.entry(*index).or_default();
        let mut ended = stopped.map(|stopped| permission_missing((part.kind, change), &stopped));
        match outcome {
            Ok(applied) => open.applied.merge(applied),
            Err(Halt::Platform(error)) if word(&error).is_some() => open.error = Some(error),
            Err(Halt::Platform(error)) => {
                open.unfinished = true;
                ended = ended.or(Some(job_error(error)));
            }
            Err(Halt::Job(error)) => {
                open.unfinished = true;
                ended = ended.or(Some(error));
            }
            Err(Halt::Stopped) => open.unfinished = true,
        }
        open.parts = open.parts.saturating_sub(1);
        let member =
            if open.parts == 0 { self.open.remove(index).and_then(|open| open.end(*user)) } else { None };
        Settled { member, ended }
    }
}

impl Open {
    fn end(self, user: ChatId) -> Option<Member> {
        if self.unfinished {
            return None;
        }
        let Applied { done, refused } = self.applied;
        if self.error.is_some() || !refused.is_empty() {
            return Some(failed(user, &done, (&refused, self.error.as_ref())));
        }
        Some(if done.is_empty() { Member::Skipped } else { Member::Updated })
    }
}

/// Names what was refused last: the permission to look for is one of these.
fn permission_missing((kind, change): (Kind, &Change), stopped: &PlatformError) -> JobError {
    let roles: Vec<String> = change.roles().iter().map(ToString::to_string).collect();
    let what = match (kind, roles.is_empty(), &change.nick) {
        (Kind::Update, true, _) => "a nickname".to_owned(),
        (Kind::Update, false, _) if !change.is_several() => "a nickname".to_owned(),
        (Kind::Update, false, Some(_)) => format!("roles {} and a nickname", roles.join(", ")),
        _ => format!("roles {}", roles.join(", ")),
    };
    let message = format!("{stopped} (the last change refused was {what})");
    JobError::Fail(failure(422, "permission_missing", message))
}

#[cfg(test)]
mod tests {
    use platforms::Missing;
    use queue::run::JobError;

    use super::*;
    use crate::testing::{chat, roles};

    fn change(add: &[i64], remove: &[i64], nick: Option<&str>) -> Change {
        Change { add: roles(add), remove: roles(remove), nick: nick.map(str::to_owned) }
    }

    fn due(changes: Vec<Change>) -> Vec<Due> {
        (0..)
            .zip(changes)
            .map(|(index, change)| (index, chat(7 + i64::try_from(index).unwrap()), change))
            .collect()
    }

    fn refused() -> PlatformError {
        PlatformError::Forbidden { code: 50_013, message: "Missing Permissions".into() }
    }

    fn done(part: &Part<'_>) -> Applied {
        let (_, _, change) = part.due;
        let done = match part.kind {
            Kind::Roles => Change { nick: None, ..change.clone() },
            Kind::Update if change.is_several() => change.clone(),
            Kind::Update => Change { nick: change.nick.clone(), ..Change::default() },
        };
        Applied { done, refused: Vec::new() }
    }

    fn kinds(buckets: &mut Buckets<'_>) -> Vec<(usize, Kind)> {
        std::iter::from_fn(|| buckets.next()).map(|part| (part.member(), part.kind)).collect()
    }

    #[test]
    fn each_kind_of_change_goes_to_its_bucket() {
        let due = due(vec![
            change(&[1], &[], None),
            change(&[], &[], Some("n")),
            change(&[1], &[], Some("n")),
            change(&[1, 2], &[3], None),
        ]);
        let mut buckets = Buckets::new(&due);
        let expected =
            [(0, Kind::Roles), (2, Kind::Roles), (1, Kind::Update), (2, Kind::Update), (3, Kind::Update)];
        assert_eq!(kinds(&mut buckets), expected);
    }

    #[test]
    fn a_full_bucket_does_not_hold_up_the_other() {
        let nicknames = vec![change(&[], &[], Some("n")); 40];
        let due = due(nicknames.into_iter().chain(vec![change(&[1], &[], None); 40]).collect());
        let mut buckets = Buckets::new(&due);
        // No update ever ends; role calls go on to the last.
        let mut waiting = 0;
        let mut ended = 0;
        while let Some(part) = buckets.next() {
            if part.kind == Kind::Update {
                waiting += 1;
                continue;
            }
            let outcome = Ok(done(&part));
            assert!(buckets.settle(part, outcome).member.is_some());
            ended += 1;
        }
        assert_eq!((waiting, ended), (3, 40));
    }

    #[test]
    fn a_member_ends_with_its_last_part_and_fails_with_what_was_done() {
        let due = due(vec![change(&[5], &[], Some("n"))]);
        let mut buckets = Buckets::new(&due);
        let (role, nickname) = (buckets.next().unwrap(), buckets.next().unwrap());
        let outcome = Ok(done(&role));
        assert!(buckets.settle(role, outcome).member.is_none());
        let refusal = Refusal { role: None, error: refused() };
        let outcome = Ok(Applied { done: Change::default(), refused: vec![refusal] });
        let Some(Member::Failed(failure)) = buckets.settle(nickname, outcome).member else {
            panic!("not failed")
        };
        assert_eq!(failure.error, "nickname_refused");
        assert!(failure.message.contains("Missing Permissions"), "{}", failure.message);
        assert!(failure.message.contains("role 5 added"), "{}", failure.message);
    }

    #[test]
    fn an_error_that_may_pass_leaves_the_member_for_the_next_run() {
        let due = due(vec![change(&[5], &[], Some("n")), change(&[5], &[], None)]);
        let mut buckets = Buckets::new(&due);
        let parts: Vec<_> = std::iter::from_fn(|| buckets.next()).collect();
        let down = PlatformError::Unavailable { route: "PUT", cause: "x".into() };
        let settled = buckets.settle(parts[0], Err(Halt::Platform(down)));
        assert!(
            settled.member.is_none()
                && matches!(settled.ended, Some(JobError::Retry(_) | JobError::Snooze(..)))
        );
        let outcome = Ok(done(&parts[1]));
        assert_eq!(parts[1].member(), 1);
        assert!(buckets.settle(parts[1], outcome).member.is_some(), "others are counted");
        let outcome = Ok(done(&parts[2]));
        assert!(buckets.settle(parts[2], outcome).member.is_none(), "half of it is left");
    }

    #[test]
    fn a_missing_credential_or_guild_ends_the_chunk() {
        for error in
            [PlatformError::NotConfigured("GUILDHALL_CHAT_TOKEN"), PlatformError::NotFound(Missing::Guild)]
        {
            let due = due(vec![change(&[5], &[], None)]);
            let mut buckets = Buckets::new(&due);
            let part = buckets.next().unwrap();
            let settled = buckets.settle(part, Err(Halt::Platform(error)));
            assert!(matches!(settled.ended, Some(JobError::Fail(_))));
        }
    }

    #[test]
    fn where_all_may_be_refused_no_call_is_sent_that_is_not_needed_to_know() {
        let due = due(vec![change(&[5], &[], None); 40]);
        let mut buckets = Buckets::new(&due);
        let mut parts: Vec<_> = std::iter::from_fn(|| buckets.next()).collect();
        assert_eq!(parts.len(), 3, "nothing is known yet");
        let refusal =
            || Ok(Applied { refused: vec![Refusal { role: None, error: refused() }], ..Applied::default() });
        buckets.settle(parts.remove(0), refusal());
        assert_eq!(buckets.roles.room(), 2);
        let outcome = Ok(done(&parts[0]));
        buckets.settle(parts.remove(0), outcome);
        assert_eq!(buckets.roles.room(), IN_FLIGHT);
        buckets.settle(parts.remove(0), refusal());
        assert_eq!(buckets.roles.room(), 2);
        let part = buckets.next().unwrap();
        buckets.settle(part, Err(Halt::Platform(PlatformError::NotFound(Missing::Member))));
        assert_eq!(buckets.roles.room(), 2, "a member who left says nothing about permissions");
    }

    #[test]
    fn three_refusals_in_a_row_in_one_bucket_stop_naming_the_role() {
        let both = [change(&[5], &[], None), change(&[], &[], Some("n"))];
        let due = due(both.iter().cycle().take(18).cloned().collect());
        let mut buckets = Buckets::new(&due);
        let mut refusals = 0;
        while let Some(part) = buckets.next() {
            let nickname = part.kind == Kind::Update;
            let outcome = if nickname {
                Ok(done(&part))
            } else {
                refusals += 1;
                let refusal = Refusal { role: due[part.member()].2.add.first().copied(), error: refused() };
                Ok(Applied { refused: vec![refusal], ..Applied::default() })
            };
            if let Some(JobError::Fail(failure)) = buckets.settle(part, outcome).ended {
                assert!(failure.message.contains("roles 5"), "{}", failure.message);
                assert_eq!((failure.status, refusals), (422, 3));
                return;
            }
        }
        panic!("goes on")
    }
}
