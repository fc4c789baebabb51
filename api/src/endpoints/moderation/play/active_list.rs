//! The lists that game servers cache: their rows, `ETag`, and `?since=<revision>` for changes.
//!
//! The revision numbers the changes to a guild's bans and mutes. It is read before the rows, so they are at least as
//! new: a client that requests later changes misses none, and may see a row twice.

use std::borrow::Cow;
use std::sync::Arc;

use entities::sanction::active::{self, List, Listed};
use entities::{PlaceId, Places, SanctionId, SanctionKind, Subject, moderation_revision};
use serde_json::Value;

use crate::endpoints::prelude::*;
use crate::openapi::shape::{self, Shape};
use crate::request::if_none_match;
use crate::request::parts::Field;
use crate::response::ready::Ready;

pub(crate) const ABOUT: &str = "To fill a game server's cache. Without `place_id` only what counts in every game of the guild, so that a list may \
     be enforced by `identifier` alone. Keep `revision` and send it as `since`, with the same `place_id` and `scope`, \
     to get what changed, and `If-None-Match` to get nothing where nothing did.";

/// With more changes than this the whole list is sent.
const MOST_CHANGES: u64 = 1_000;

request! {
    pub(crate) struct ActiveQuery {
        /// Also what counts in this place alone; nothing of other places.
        place_id: Option<PlaceId>,
        /// Everything, each with its `place_id`. Not together with `place_id`.
        scope: Option<Scope>,
        /// A `revision` that was answered before.
        since: Option<Revision>,
    }
}

answer! {
    pub(crate) struct ActiveSanction from row: Listed {
        id: SanctionId = row.sanction_id,
        /// The game user where known.
        #[schema(required)]
        identifier: Option<Subject> = row.identifier(),
        #[schema(example = "exploiting")]
        reason: String,
        /// Null: never.
        #[schema(required)]
        expires_at: Option<Seconds> = row.expires_at.map(Seconds),
        /// Null: every game of the guild.
        #[schema(required)]
        place_id: Option<PlaceId>,
    }
}

/// What goes with the rows.
#[derive(Serialize, ToSchema)]
pub(crate) struct ListMeta {
    /// To be sent as `since` next time.
    #[schema(minimum = 0, example = 18)]
    revision: i64,
    /// False: the rows are what is new or changed since.
    complete: bool,
    /// Ids to be dropped.
    lifted: Vec<SanctionId>,
}

pub(crate) struct ActiveList {
    pub(crate) rows: Vec<ActiveSanction>,
    pub(crate) meta: ListMeta,
}

pub(crate) async fn reply<D: Serialize>(
    call: &Call,
    kind: SanctionKind,
    data: impl Fn(ActiveList) -> D,
) -> Result<Reply, ApiError> {
    let query: ActiveQuery = call.query()?;
    let list = List { guild: call.guild(), kind, places: places(&query)? };
    if let Some(Revision(since)) = query.since {
        let revision = moderation_revision::current(call.read(), call.guild()).await?;
        // 0 precedes every revision. A future revision comes from another database: send the whole list.
        if (1..=revision).contains(&since)
            && let Some(changes) = changes(call, list, revision, since).await?
        {
            return Reply::data(&data(changes));
        }
    }
    let whole = whole(call, list, data).await?;
    match whole.etag.as_ref().filter(|tag| if_none_match::has(&call.headers, tag)) {
        Some(tag) => Ok(Reply::not_modified(tag.clone())),
        None => Ok(Reply::ready(whole)),
    }
}

/// The whole list, kept until the guild's sanctions or links change or one of the list expires.
async fn whole<D: Serialize>(
    call: &Call,
    list: List,
    data: impl Fn(ActiveList) -> D,
) -> Result<Arc<Ready>, ApiError> {
    let (lists, guild, key, now) =
        (&call.state.caches.active_lists, list.guild, (list.kind, list.places), call.now());
    if let Some(whole) = lists.get(guild, key).filter(|whole| whole.holds(now)) {
        return Ok(whole);
    }
    let read = async {
        let revision = moderation_revision::current(call.read(), guild).await?;
        let rows = active::list(call.read(), list, now).await?;
        let (tag, until) =
            (tag(list.places, revision, rows.len()), rows.iter().filter_map(|row| row.expires_at).min());
        let meta = ListMeta { revision, complete: true, lifted: Vec::new() };
        let rows = rows.into_iter().map(ActiveSanction::from).collect();
        let body = Reply::data(&data(ActiveList { rows, meta }))?.render()?;
        Ok(Arc::new(Ready::new(body, Some(tag), until)))
    };
    lists.load(guild, key, read).await
}

/// `None`: the whole list is shorter.
async fn changes(call: &Call, list: List, revision: i64, since: i64) -> Result<Option<ActiveList>, ApiError> {
    let rows = active::changed_since(call.read(), list, since, MOST_CHANGES + 1).await?;
    if rows.len() as u64 > MOST_CHANGES {
        return Ok(None);
    }
    let now = call.now();
    let (rows, gone): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| row.in_force(now));
    let lifted = gone.into_iter().map(|row| row.sanction_id).collect();
    let meta = ListMeta { revision, complete: false, lifted };
    Ok(Some(ActiveList { rows: rows.into_iter().map(ActiveSanction::from).collect(), meta }))
}

/// Without `place_id` only sanctions that count in every game: a server that enforces a list by `identifier` alone must
/// not reject players banned or muted in another place (docs/rules.md 4).
fn places(query: &ActiveQuery) -> Result<Places, ApiError> {
    match (&query.scope, query.place_id) {
        (None, None) => Ok(Places::Everywhere),
        (None, Some(place)) => Ok(Places::In(place)),
        (Some(Scope), None) => Ok(Places::All),
        (Some(Scope), Some(place)) => {
            Err(ApiError::field("place_id", &place.get().into(), "absent where `scope` is `all`"))
        }
    }
}

/// Between two changes rows only expire, so revision and count identify each list of these places.
fn tag(places: Places, revision: i64, in_force: usize) -> String {
    let places = match places {
        Places::Everywhere => "everywhere".to_owned(),
        Places::In(place) => place.to_string(),
        Places::All => "all".to_owned(),
    };
    format!("\"{revision}-{in_force}-{places}\"")
}

/// The word `all`.
#[derive(Debug)]
pub(crate) struct Scope;

impl Field for Scope {
    fn allowed() -> Cow<'static, str> {
        "`all`".into()
    }

    fn read(sent: &Value) -> Option<Self> {
        (sent == "all").then_some(Self)
    }

    fn shape() -> Shape {
        shape::word(&["all"])
    }
}

#[derive(Debug)]
pub(crate) struct Revision(i64);

impl Field for Revision {
    fn allowed() -> Cow<'static, str> {
        "a `revision` that was answered before".into()
    }

    /// A number that does not fit is in the future too.
    fn read(sent: &Value) -> Option<Self> {
        sent.as_str()?.parse::<u64>().ok().map(|since| Self(i64::try_from(since).unwrap_or(i64::MAX)))
    }

    fn shape() -> Shape {
        shape::count(17)
    }
}
