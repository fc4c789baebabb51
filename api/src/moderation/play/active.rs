//! What the two active lists have in common: their rows, `ETag`, and `?since=<revision>` for what changed.
//!
//! The revision numbers the changes to a guild's bans and mutes. It is read before the rows, so they are at least as
//! new: a client that asks for what came after it misses nothing, and may see a row twice.

use entities::{PlaceId, Subject, Timestamp, moderation_revision};
use serde::Serialize;

use crate::call::Call;
use crate::http::error::ApiError;
use crate::time::Seconds;

/// More changes than this are not told one by one: the whole list is sent.
pub(super) const MOST_CHANGES: u64 = 1_000;

#[derive(Serialize)]
pub(super) struct Item<Id> {
    pub(super) id: Id,
    /// The game id where it is known.
    pub(super) identifier: Option<Subject>,
    pub(super) reason: String,
    pub(super) expires_at: Option<Seconds>,
    /// None: every game of the guild.
    pub(super) place_id: Option<PlaceId>,
}

/// What goes with the rows.
#[derive(Serialize)]
pub(super) struct Tail<Id> {
    /// To be sent as `since` next time.
    revision: i64,
    /// The rows are the whole list. If not, they are what is new or changed, and `lifted` names what is to be dropped.
    complete: bool,
    lifted: Vec<Id>,
}

impl<Id> Tail<Id> {
    pub(super) fn complete(revision: i64) -> Self {
        Self { revision, complete: true, lifted: Vec::new() }
    }

    pub(super) fn changes(revision: i64, lifted: Vec<Id>) -> Self {
        Self { revision, complete: false, lifted }
    }
}

/// How the guild's moderation stands, and from where on the caller wants changes; none: the whole list.
pub(super) struct Stand {
    pub(super) revision: i64,
    pub(super) since: Option<i64>,
    pub(super) now: Timestamp,
}

impl Stand {
    pub(super) async fn of(call: &Call) -> Result<Self, ApiError> {
        let since = call.query.parsed::<u64>("since", "a `revision` that was answered before")?;
        let since = since.and_then(|since| i64::try_from(since).ok());
        let revision = moderation_revision::current(call.read(), call.guild()).await?;
        // 0 is before everything. A revision of the future is of another database: begin anew.
        let since = since.filter(|since| (1..=revision).contains(since));
        Ok(Self { revision, since, now: call.now() })
    }

    /// Between two changes rows only lapse, so revision and count tell every list from every other.
    pub(super) fn tag(&self, in_force: u64) -> String {
        format!("\"{}-{in_force}\"", self.revision)
    }
}
