//! GET /moderation/:guildId/play/bans/active, and the same for mutes: the lists that game servers cache, with `ETag`, and
//! `?since=<revision>` for changes.
//!
//! The revision numbers the changes to a guild's bans and mutes in one epoch of the database. It is read before the rows,
//! so they are at least as new: a client that requests later changes misses none, and may see a row twice.

use std::borrow::Cow;

use entities::moderation_revision::Standing;
use entities::sanction::list::{self, Changes, List, Listed};
use entities::sanction::whole::Whole;
use entities::{Conn, PlaceId, Places, SanctionId, SanctionKind, Subject, Timestamp};
use sea_orm::DbErr;
use serde_json::Value;

use crate::endpoints::prelude::*;
use crate::endpoints::whole_list::{self, Frame, WholeList};
use crate::request::if_none_match;
use crate::request::page::Page;
use crate::request::parts::Field;
use crate::schema::shape::{self, Shape};

const ABOUT: &str = "To fill a game server's cache. Without `place_id` only what counts in every game of the guild, so that a list may \
     be enforced by `identifier` alone. It has one entry for each person, the one that ends last. Keep `revision` and \
     send it as `since`, with the same `place_id` and `scope`, to get what changed, and `If-None-Match` to get 304 if \
     nothing did. Of changes first drop the entries whose ids are in `lifted`, then replace the entries with the `id` or \
     `identifier` of each item.";

/// With more changes than this the whole list is sent.
const MOST_CHANGES: u64 = 1_000;

request! {
    pub(crate) struct ActiveQuery {
        /// Also the sanctions of this place; never those of other places.
        place_id: Option<PlaceId>,
        /// All sanctions, each with its `place_id`. Not together with `place_id`.
        scope: Option<Scope>,
        /// A `revision` of an earlier answer.
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
    /// To be sent as `since` next time. After a restore of the database an earlier one gets the whole list.
    #[schema(minimum = 0, example = 18)]
    revision: i64,
    /// False: the rows are a page, or those that are new or changed since.
    complete: bool,
    /// Ids to be dropped.
    lifted: Vec<SanctionId>,
    /// Present only in a page; null on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<SanctionId>)]
    #[expect(clippy::option_option, reason = "absent without paging, null on the last page")]
    next_cursor: Option<Option<SanctionId>>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ActiveBans {
    bans: Vec<ActiveSanction>,
    #[serde(flatten)]
    meta: ListMeta,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ActiveMutes {
    mutes: Vec<ActiveSanction>,
    #[serde(flatten)]
    meta: ListMeta,
}

#[derive(Serialize)]
#[serde(untagged)]
enum ActiveList {
    Bans(ActiveBans),
    Mutes(ActiveMutes),
}

impl ActiveList {
    fn new(kind: SanctionKind, rows: Vec<ActiveSanction>, meta: ListMeta) -> Self {
        match kind {
            SanctionKind::Ban => Self::Bans(ActiveBans { bans: rows, meta }),
            SanctionKind::Mute => Self::Mutes(ActiveMutes { mutes: rows, meta }),
        }
    }
}

pub(crate) fn operation(kind: SanctionKind) -> Operation {
    let operation = match kind {
        SanctionKind::Ban => Operation::new("listActiveBans", "Active bans").data::<ActiveBans>(),
        SanctionKind::Mute => Operation::new("listActiveMutes", "Active mutes").data::<ActiveMutes>(),
    };
    operation.about(ABOUT).paged_if_asked::<SanctionId>().query::<ActiveQuery>().etag()
}

pub(crate) async fn handle(call: Call, kind: SanctionKind) -> Result<Reply, ApiError> {
    let query: ActiveQuery = call.query()?;
    let list = List { guild: call.guild(), kind, places: places(&query)? };
    if let Some(asked) = call.page_if_asked()? {
        return match query.since {
            Some(Revision(since)) => {
                Err(ApiError::field("since", &since.into(), "absent where a page is requested"))
            }
            None => page(&call, list, &asked).await,
        };
    }
    if let Some(Revision(since)) = query.since {
        // Otherwise the whole list is sent.
        let standing = Standing::read(call.read(), call.guild()).await?;
        if let Some(seen) = standing.seen_by(since)
            && let Some(changes) = changes(&call, list, standing.shown(), seen).await?
        {
            let tag = changes_tag(list.places, since, standing.shown(), &changes);
            if if_none_match::has(&call.headers, &tag) {
                return Ok(Reply::not_modified(tag));
            }
            return Ok(Reply::data(&changes)?.with_etag(tag));
        }
    }
    let (lists, key) = (&call.state.caches.active_lists, (kind, list.places));
    let kept = || lists.get(list.guild, key, &call.state.context.clock);
    // Without the rows only two short queries are needed.
    if (call.head || if_none_match::is_sent(&call.headers)) && kept().is_none_or(|kept| kept.etag.is_none()) {
        let tag = current_tag(&call, list).await?;
        if if_none_match::has(&call.headers, &tag) {
            return Ok(Reply::not_modified(tag));
        }
        if call.head {
            return Ok(Reply::head(Some(tag)));
        }
    }
    let new = || AllInForce { list, now: call.now(), begun: None, last: None, count: 0, until: None };
    whole_list::reply(&call, lists, key, new).await
}

/// The tag of the whole list as it is now.
async fn current_tag(call: &Call, list: List) -> Result<String, ApiError> {
    let snapshot = call.state.context.database.snapshot().await?;
    let revision = Standing::read(&snapshot, list.guild).await?.shown();
    let count = list::count(&snapshot, list, call.now()).await?;
    Ok(tag(list.places, revision, count))
}

/// The sanctions in force, oldest first.
struct AllInForce {
    list: List,
    now: Timestamp,
    begun: Option<(i64, Whole)>,
    last: Option<SanctionId>,
    count: u64,
    until: Option<Timestamp>,
}

impl WholeList for AllInForce {
    type Row = ActiveSanction;

    async fn next(&mut self, conn: &impl Conn, limit: u64) -> Result<Vec<ActiveSanction>, DbErr> {
        let begun = match &self.begun {
            Some(begun) => begun,
            None => {
                let revision = Standing::read(conn, self.list.guild).await?.shown();
                self.begun.insert((revision, Whole::begin(conn, self.list, self.now).await?))
            }
        };
        let mut shown = Vec::new();
        loop {
            let missing = limit - shown.len() as u64;
            let rows = begun.1.range(conn, self.last, missing).await?;
            self.last = rows.last().map(|row| row.sanction_id).or(self.last);
            self.count += rows.len() as u64;
            self.until = rows.iter().filter_map(|row| row.expires_at).chain(self.until).min();
            let read = rows.len() as u64;
            shown.extend(rows.into_iter().filter(|row| !row.is_outlasted).map(ActiveSanction::from));
            if read < missing || shown.len() as u64 == limit {
                return Ok(shown);
            }
        }
    }

    fn frame(&self) -> Result<Frame, ApiError> {
        let revision = self.begun.as_ref().map_or(0, |(revision, _)| *revision);
        let meta = ListMeta { revision, complete: true, lifted: Vec::new(), next_cursor: None };
        let reply = Reply::data(&ActiveList::new(self.list.kind, Vec::new(), meta))?;
        let etag = Some(tag(self.list.places, revision, self.count));
        Ok(Frame { reply, etag, until: self.until })
    }
}

/// A page of the whole list, newest first.
async fn page(call: &Call, list: List, page: &Page<SanctionId>) -> Result<Reply, ApiError> {
    let snapshot = call.state.context.database.snapshot().await?;
    let revision = Standing::read(&snapshot, list.guild).await?.shown();
    let rows = list::page(&snapshot, list, call.now(), page.to_fetch()).await?;
    page.reply(
        rows,
        |row| row.sanction_id,
        |rows, next| {
            let meta = ListMeta { revision, complete: false, lifted: Vec::new(), next_cursor: Some(next) };
            ActiveList::new(list.kind, rows, meta)
        },
    )
}

/// `None`: the whole list is shorter.
async fn changes(call: &Call, list: List, revision: i64, since: i64) -> Result<Option<ActiveList>, ApiError> {
    let changes = list::changes_since(call.read(), list, since, call.now(), MOST_CHANGES).await?;
    Ok(changes.map(|Changes { shown, gone }| {
        let meta = ListMeta { revision, complete: false, lifted: gone, next_cursor: None };
        ActiveList::new(list.kind, shown.into_iter().map(ActiveSanction::from).collect(), meta)
    }))
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

/// The same for changes since an earlier revision.
fn changes_tag(places: Places, since: i64, revision: i64, changes: &ActiveList) -> String {
    let (rows, meta) = match changes {
        ActiveList::Bans(list) => (&list.bans, &list.meta),
        ActiveList::Mutes(list) => (&list.mutes, &list.meta),
    };
    let tag = tag(places, revision, rows.len() as u64);
    format!("{}-{}-since-{since}\"", tag.trim_end_matches('"'), meta.lifted.len())
}

/// Between two changes rows only expire, so revision and count identify each list of these places.
fn tag(places: Places, revision: i64, in_force: u64) -> String {
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
        "a `revision` of an earlier answer".into()
    }

    /// A number that does not fit is in the future too.
    fn read(sent: &Value) -> Option<Self> {
        sent.as_str()?.parse::<u64>().ok().map(|since| Self(i64::try_from(since).unwrap_or(i64::MAX)))
    }

    fn shape() -> Shape {
        shape::count(17)
    }
}
