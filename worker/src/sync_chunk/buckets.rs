//! The calls still to send, one list for each of the platform's buckets, and the results of each.
//!
//! A member with changes for both buckets is in both lists, and ends when both parts have ended.

use std::collections::{HashMap, VecDeque};

use entities::ChatId;
use platforms::{Change, ForbiddenBreaker, PlatformError};
use queue::run::{JobError, failure};

use super::progress::{Member, Settled, failed, word};
use crate::apply::{Applied, Halt, Refusal, Sender, Whom};
use crate::errors::job_error;

/// Calls in flight per bucket: enough for one chunk to use the whole bulk rate at response times of up
/// to 0.3 s.
const CALLS_IN_FLIGHT: usize = 12;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Calls for single roles.
    Roles,
    /// A nickname, or the full list.
    Update,
}

/// A member's place in the plan, and its due changes.
pub(super) type Due = (usize, Whom, Change);

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
    breaker: ForbiddenBreaker,
    /// The platform has accepted a change.
    welcome: bool,
}

/// A member with unfinished parts.
#[derive(Default)]
struct Open {
    parts: usize,
    done: Change,
    refused: Vec<Refusal>,
    /// The error that concerns the whole member.
    error: Option<PlatformError>,
    /// A part is left to the next run.
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

    pub(super) async fn carry_out(self, sender: Sender<'_>) -> Applied {
        let (_, whom, change) = self.due;
        match self.kind {
            Kind::Roles => sender.roles(*whom, change).await,
            Kind::Update if change.is_several() => sender.rewrite(*whom, change).await,
            Kind::Update => sender.nickname(*whom, change).await,
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

    /// The limit on calls in flight. Before the first success and after a refusal: the refusals left before the chunk
    /// ends.
    fn room(&self) -> usize {
        let left = self.breaker.left();
        if self.welcome && left == ForbiddenBreaker::STOPS_AT {
            CALLS_IN_FLIGHT
        } else {
            CALLS_IN_FLIGHT.min(left as usize)
        }
    }

    /// `Some`: the third refusal in a row.
    fn observe(&mut self, applied: &Applied) -> Option<PlatformError> {
        self.under_way -= 1;
        let failed = match &applied.halt {
            Some(Halt::Platform(error)) => Some(error),
            Some(Halt::Job(_) | Halt::Stopped) => return None,
            None => refusal(applied),
        };
        let result = match failed {
            Some(error) => Err(error.clone()),
            None if applied.done.is_empty() => return None,
            None => {
                self.welcome = true;
                Ok(())
            }
        };
        self.breaker.observe(&result).err()
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

    /// The next part to start, from any bucket with room.
    pub(super) fn next(&mut self) -> Option<Part<'a>> {
        self.roles.next().or_else(|| self.update.next())
    }

    /// Records the end of a part. Returns what it changed, the member, if it ended too, and the error that ends the chunk, if
    /// any.
    pub(super) fn settle(&mut self, part: Part<'_>, applied: Applied) -> Settled {
        let bucket = match part.kind {
            Kind::Roles => &mut self.roles,
            Kind::Update => &mut self.update,
        };
        let stopped = bucket.observe(&applied);
        let (index, whom, change) = part.due;
        let open = self.open.entry(*index).or_default();
        let mut ended = stopped.map(|stopped| permission_missing(part.kind, change, &stopped));
        let Applied { done, refused, halt } = applied;
        open.done.merge(done.clone());
        open.refused.extend(refused);
        match halt {
            None => {}
            Some(Halt::Platform(error)) if word(&error).is_some() => open.error = Some(error),
            Some(Halt::Platform(error)) => {
                open.unfinished = true;
                ended = ended.or(Some(job_error(error)));
            }
            Some(Halt::Job(error)) => {
                open.unfinished = true;
                ended = ended.or(Some(error));
            }
            Some(Halt::Stopped) => open.unfinished = true,
        }
        open.parts = open.parts.saturating_sub(1);
        let over = if open.parts == 0 { self.open.remove(index) } else { None };
        Settled { member: over.and_then(|open| open.end(whom.user)), done, ended }
    }
}

impl Open {
    /// `None`: a part is left.
    fn end(self, user: ChatId) -> Option<Member> {
        if self.unfinished {
            return None;
        }
        if self.error.is_some() || !self.refused.is_empty() {
            return Some(failed(user, &self.done, &self.refused, self.error.as_ref()));
        }
        Some(if self.done.is_empty() { Member::Skipped } else { Member::Updated })
    }
}

/// Describes the last refusals: one of these permissions is missing.
fn permission_missing(kind: Kind, change: &Change, stopped: &PlatformError) -> JobError {
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
mod tests;
