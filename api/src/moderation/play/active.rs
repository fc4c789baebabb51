//! What the two active lists have in common: their rows, `ETag`, and `?since=<revision>` for what changed.
//!
//! The revision numbers the changes to a guild's bans and mutes. It is read before the rows, so they are at least as
//! new: a client that asks for what came after it misses nothing, and may see a row twice.

use entities::sanction::active::List;
use entities::{PlaceId, Places, SanctionKind, Subject, Timestamp, moderation_revision};
use serde::Serialize;

use crate::call::Call;
use crate::http::error::ApiError;
use crate::http::query::Query;
use crate::moderation::PLACE;
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
pub(super) struct ListMeta<Id> {
    /// To be sent as `since` next time.
    revision: i64,
    /// The rows are the whole list. If not, they are what is new or changed, and `lifted` names what is to be dropped.
    complete: bool,
    lifted: Vec<Id>,
}

impl<Id> ListMeta<Id> {
    pub(super) fn complete(revision: i64) -> Self {
        Self { revision, complete: true, lifted: Vec::new() }
    }

    pub(super) fn changes(revision: i64, lifted: Vec<Id>) -> Self {
        Self { revision, complete: false, lifted }
    }
}

/// How the guild's moderation stands, and from where on the caller wants changes; none: the whole list.
pub(super) struct ListState {
    pub(super) revision: i64,
    /// Which rows the caller enforces; its changes are narrowed like its list.
    pub(super) of: List,
    pub(super) since: Option<i64>,
    pub(super) now: Timestamp,
}

impl ListState {
    pub(super) async fn of(call: &Call, kind: SanctionKind) -> Result<Self, ApiError> {
        let places = places(&call.query)?;
        let since = call.query.parsed::<u64>("since", "a `revision` that was answered before")?;
        let since = since.and_then(|since| i64::try_from(since).ok());
        let revision = moderation_revision::current(call.read(), call.guild()).await?;
        // 0 is before everything. A revision of the future is of another database: begin anew.
        let since = since.filter(|since| (1..=revision).contains(since));
        Ok(Self { revision, of: List { guild: call.guild(), kind, places }, since, now: call.now() })
    }

    /// Between two changes rows only lapse, so revision and count tell every list of these places from every other.
    pub(super) fn tag(&self, in_force: u64) -> String {
        let places = match self.of.places {
            Places::Everywhere => "everywhere".to_owned(),
            Places::In(place) => place.to_string(),
            Places::All => "all".to_owned(),
        };
        format!("\"{}-{in_force}-{places}\"", self.revision)
    }
}

/// Without `place_id` only what counts in every game: whoever enforces a list by `identifier` alone turns away nobody
/// who is banned or muted in another place (docs/rules.md 4).
fn places(query: &Query) -> Result<Places, ApiError> {
    let place: Option<PlaceId> = query.parsed("place_id", PLACE)?;
    match (query.text("scope"), place) {
        (None, None) => Ok(Places::Everywhere),
        (None, Some(place)) => Ok(Places::In(place)),
        (Some("all"), None) => Ok(Places::All),
        (Some("all"), Some(place)) => {
            Err(ApiError::field("place_id", &place.get().into(), "absent where `scope` is `all`"))
        }
        (Some(other), _) => Err(ApiError::field("scope", &other.into(), "`all`")),
    }
}
