//! /console/guilds/:guild/moderation: bans and mutes, newest first.

pub(crate) mod add;
pub(crate) mod again;
mod evidence;
mod length;
pub(crate) mod lift;
mod mirror;
mod order;
pub(crate) mod player;
pub(crate) mod prolong;
mod row;
pub(crate) mod sanction;
mod target;

use std::str::FromStr;

use askama::Template;
use entities::sanction::MirrorState;
use entities::sanction::Model;
use entities::sanction::history::{self, Filter};
use entities::{Page as Part, PlaceId, SanctionId, SanctionKind, Subject};

use super::candidates::Among;
use super::people::People;
use super::typed::{accounts_of, chat_of, resolve};
use crate::html::candidate::Unresolved;
use crate::html::form::Form;
use crate::html::format::Count;
use crate::html::shell::{Place, Shell};
use crate::response::{PageError, Response};
use crate::visit::GuildVisit;
pub(crate) use row::Row;

/// Rows of one page.
const SHOWN: u64 = 50;
/// More are not counted.
const COUNTED: u64 = 10_000;
/// What the filter shows.
const FIELDS: [&str; 4] = ["state", "person", "place", "moderator"];

/// Bans or mutes, as addresses name them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kind(pub(crate) SanctionKind);

impl FromStr for Kind {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "bans" => Ok(Self(SanctionKind::Ban)),
            "mutes" => Ok(Self(SanctionKind::Mute)),
            _ => Err(()),
        }
    }
}

impl Kind {
    pub(crate) fn is_ban(self) -> bool {
        self.0 == SanctionKind::Ban
    }

    /// Below the guild.
    pub(crate) fn path(self) -> &'static str {
        if self.is_ban() { "/moderation/bans" } else { "/moderation/mutes" }
    }

    pub(crate) fn one(self, id: SanctionId) -> String {
        format!("{}/{id}", self.path())
    }

    pub(crate) fn title(self) -> &'static str {
        if self.is_ban() { "Ban" } else { "Mute" }
    }

    pub(crate) fn word(self) -> &'static str {
        if self.is_ban() { "ban" } else { "mute" }
    }

    pub(crate) fn done(self) -> &'static str {
        if self.is_ban() { "banned" } else { "muted" }
    }

    pub(crate) fn past(self) -> &'static str {
        if self.is_ban() { "Banned" } else { "Muted" }
    }
}

#[derive(Template)]
#[template(path = "guilds/moderation/list.html")]
struct Page {
    shell: Shell,
    kind: Kind,
    form: Form,
    url: String,
    bans_url: String,
    mutes_url: String,
    imports_url: String,
    may_write: bool,
    filtered: bool,
    rows: Vec<Row>,
    total: String,
    /// The query of the next page.
    more: Option<String>,
}

pub(crate) async fn bans(visit: GuildVisit) -> Result<Response, PageError> {
    list(&visit, Kind(SanctionKind::Ban)).await
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    let kind = visit.param("kind")?;
    list(&visit, kind).await
}

async fn list(visit: &GuildVisit, kind: Kind) -> Result<Response, PageError> {
    let query = &visit.query;
    let (filter, form) = match filter(visit, kind).await? {
        Ok(filter) => (Some(filter), Form::new(query.clone())),
        Err((field, problem)) => (None, Form::unresolved(query, field, problem)),
    };
    let (conn, guild) = (visit.read(), visit.guild.guild_id);
    let part = Part { cursor: query.read::<SanctionId>("before"), limit: SHOWN + 1 };
    let (mut rows, mut total) = (Vec::new(), String::new());
    if let Some(filter) = filter {
        rows = history::list(conn, guild, filter, part, visit.now()).await?;
        total = counted(visit, filter).await?;
    }
    let has_more = rows.len() as u64 > SHOWN;
    rows.truncate(usize::try_from(SHOWN).unwrap_or(usize::MAX));
    let last = rows.last().filter(|_| has_more).map(|row| row.sanction_id.to_string());
    let page = Page {
        shell: visit.shell("Moderation", Place::Moderation),
        kind,
        url: visit.url(kind.path()),
        bans_url: visit.url(Kind(SanctionKind::Ban).path()),
        mutes_url: visit.url(Kind(SanctionKind::Mute).path()),
        imports_url: visit.url("/imports"),
        may_write: visit.may("moderation.write"),
        filtered: FIELDS.iter().any(|name| !form.text(name).is_empty()),
        rows: shown(visit, &rows).await?,
        total,
        more: last.map(|last| query.with("before", &last)),
        form,
    };
    Ok(Response::page(&page)?.status(page.form.status()))
}

/// "1,204 active bans"
async fn counted(visit: &GuildVisit, filter: Filter) -> Result<String, PageError> {
    let found = history::count(visit.read(), visit.guild.guild_id, filter, COUNTED + 1, visit.now()).await?;
    let of = match (filter.active, filter.kind) {
        _ if filter.mirror == Some(MirrorState::Held) => "held ban",
        _ if filter.mirror.is_some() => "unmirrored ban",
        (Some(true), SanctionKind::Ban) => "active ban",
        (Some(false), SanctionKind::Ban) => "ended ban",
        (None, SanctionKind::Ban) => "ban",
        (Some(true), SanctionKind::Mute) => "active mute",
        (Some(false), SanctionKind::Mute) => "ended mute",
        (None, SanctionKind::Mute) => "mute",
    };
    Ok(match found {
        0..=COUNTED => Count(found, of).to_string(),
        _ => format!("More than {}", Count(COUNTED, of)),
    })
}

/// The rows with the names of all people in them.
pub(crate) async fn shown(visit: &GuildVisit, rows: &[Model]) -> Result<Vec<Row>, PageError> {
    let named = rows.iter().flat_map(|row| {
        let by = [Some(row.moderator_id), row.lifted_by].into_iter().flatten().map(Subject::Chat);
        row.subject().into_iter().chain(by)
    });
    let people = People::read(visit, named).await?;
    Ok(rows.iter().map(|row| Row::new(visit, &people, row)).collect())
}

/// The filter of the address, or the invalid field with its error.
async fn filter(
    visit: &GuildVisit,
    kind: Kind,
) -> Result<Result<Filter, (&'static str, Unresolved)>, PageError> {
    let query = &visit.query;
    let active = match query.text("state") {
        "ended" => Some(false),
        "all" => None,
        _ => Some(true),
    };
    let mirror = match query.text("state") {
        "held" => Some(MirrorState::Held),
        "unmirrored" => Some(MirrorState::Failed),
        _ => None,
    };
    let mut filter = Filter { active, mirror, replaced: false, ..Filter::of(kind.0) };
    if query.has("person") {
        match resolve(visit, query, "person", Among::Everybody).await? {
            Ok(subject) => {
                filter.person = Some(accounts_of(visit, subject).await?);
            }
            Err(problem) => return Ok(Err(("person", problem))),
        }
    }
    if query.has("moderator") {
        match chat_of(visit, query, "moderator").await? {
            Ok(chat) => filter.moderator = Some(chat),
            Err(problem) => return Ok(Err(("moderator", problem))),
        }
    }
    if query.has("place") {
        match query.read::<PlaceId>("place") {
            Some(place) => filter.place = Some(place),
            None => return Ok(Err(("place", "A place's id has digits only.".into()))),
        }
    }
    Ok(Ok(filter))
}
