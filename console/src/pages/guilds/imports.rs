//! /console/guilds/:guild/imports/made/:kind: imports of links or bans that can be undone.

pub(crate) mod bans;
mod columns;
pub(crate) mod links;
mod shown;

use askama::Template;
use entities::import::{self, Kind};
use entities::{ImportId, Subject};
use http::Method;
use serde_json::Map;

use super::people::{People, Who};
use crate::html::form::Form;
use crate::html::format::{Count, When};
use crate::html::shell::{Place, Shell};
use crate::response::{Flash, PageError, Response};
use crate::visit::GuildVisit;

/// The list has no form with fields.
const FIELDS: [&str; 0] = [];

#[derive(Template)]
#[template(path = "guilds/imports/list.html")]
struct Page {
    shell: Shell,
    form: Form,
    url: String,
    /// Where links and bans are imported, for people who may.
    links_url: Option<String>,
    bans_url: Option<String>,
    rows: Vec<Row>,
}

struct Row {
    id: ImportId,
    kind: Kind,
    made: Count<u64>,
    by: Who,
    at: When,
    until: When,
    undone: Option<When>,
}

impl Row {
    /// In its address.
    fn path(&self) -> &'static str {
        path(self.kind)
    }
}

fn path(kind: Kind) -> &'static str {
    match kind {
        Kind::Links => "links",
        Kind::Bans => "bans",
    }
}

fn thing(kind: Kind) -> &'static str {
    match kind {
        Kind::Links => "link",
        Kind::Bans => "ban",
    }
}

fn may(visit: &GuildVisit, kind: Kind) -> bool {
    visit.may(match kind {
        Kind::Links => "links.write",
        Kind::Bans => "moderation.write",
    })
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    let named: String = visit.param("kind")?;
    let kind = [Kind::Links, Kind::Bans].into_iter().find(|kind| path(*kind) == named);
    show(&visit, kind.ok_or(PageError::NotFound)?, Form::default()).await
}

async fn show(visit: &GuildVisit, kind: Kind, form: Form) -> Result<Response, PageError> {
    if !may(visit, kind) {
        return Err(PageError::NotFound);
    }
    let mut imports = import::recent(visit.read(), visit.guild.guild_id, visit.now()).await?;
    imports.retain(|row| row.kind == kind);
    let people = People::read(visit, imports.iter().map(|row| Subject::Chat(row.made_by))).await?;
    let row = |row: import::Model| Row {
        id: row.import_id,
        kind: row.kind,
        made: Count(row.made.len() as u64, thing(row.kind)),
        by: people.who(visit, Subject::Chat(row.made_by)),
        at: visit.when(row.created_at),
        until: visit.when(row.undone_until()),
        undone: row.undone_at.map(|at| visit.when(at)),
    };
    let page = Page {
        shell: visit.shell("Imports", Place::Members),
        url: visit.url("/imports"),
        links_url: may(visit, Kind::Links).then(|| visit.url("/members/import")),
        bans_url: may(visit, Kind::Bans).then(|| visit.url("/imports/bans")),
        rows: imports.into_iter().map(row).collect(),
        form,
    };
    Ok(Response::page(&page)?.status(page.form.status()))
}

pub(crate) async fn undo_links(visit: GuildVisit) -> Result<Response, PageError> {
    undo(&visit, Kind::Links, "/guilds/{g}/links/imports").await
}

pub(crate) async fn undo_bans(visit: GuildVisit) -> Result<Response, PageError> {
    undo(&visit, Kind::Bans, "/moderation/{g}/bans/imports").await
}

async fn undo(visit: &GuildVisit, kind: Kind, call: &str) -> Result<Response, PageError> {
    let id: ImportId = visit.param("import")?;
    let answer = visit.api(Method::POST, &format!("{call}/{id}/undo"), Map::new()).await;
    if !answer.status.is_success() {
        return show(visit, kind, Form::refused(&visit.form, &answer)).await;
    }
    let number = |name: &str| answer.body["data"][name].as_u64().unwrap_or_default();
    let (undone, left) = (Count(number("undone"), thing(kind)), number("left"));
    let text = match left {
        0 => format!("The import is undone: {undone} ended."),
        _ => format!("The import is undone: {undone} ended. {left} had changed since, and stay as they are."),
    };
    Ok(Response::see(visit.url(&format!("/imports/made/{}", path(kind)))).flash(Flash::new(text)))
}
