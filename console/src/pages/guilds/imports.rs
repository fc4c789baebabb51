//! /console/guilds/:guild/imports: imports of links and bans that can be undone.

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

fn may(visit: &GuildVisit, kind: Kind) -> bool {
    visit.may(match kind {
        Kind::Links => "links.write",
        Kind::Bans => "moderation.write",
    })
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    show(&visit, Form::default()).await
}

async fn show(visit: &GuildVisit, form: Form) -> Result<Response, PageError> {
    if !may(visit, Kind::Links) && !may(visit, Kind::Bans) {
        return Err(PageError::NotFound);
    }
    let mut imports = import::recent(visit.read(), visit.guild.guild_id, visit.now()).await?;
    imports.retain(|row| may(visit, row.kind));
    let people = People::read(visit, imports.iter().map(|row| Subject::Chat(row.made_by))).await?;
    let row = |row: import::Model| Row {
        id: row.import_id,
        kind: row.kind,
        made: Count(row.made.len() as u64, if row.kind == Kind::Links { "link" } else { "ban" }),
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
    undo(&visit, "/guilds/{g}/links/imports", "link").await
}

pub(crate) async fn undo_bans(visit: GuildVisit) -> Result<Response, PageError> {
    undo(&visit, "/moderation/{g}/bans/imports", "ban").await
}

async fn undo(visit: &GuildVisit, path: &str, what: &'static str) -> Result<Response, PageError> {
    let id: ImportId = visit.param("import")?;
    let answer = visit.api(Method::POST, &format!("{path}/{id}/undo"), Map::new()).await;
    if !answer.status.is_success() {
        return show(visit, Form::refused(&visit.form, &answer)).await;
    }
    let number = |name: &str| answer.body["data"][name].as_u64().unwrap_or_default();
    let (undone, left) = (Count(number("undone"), what), number("left"));
    let text = match left {
        0 => format!("The import is undone: {undone} ended."),
        _ => format!("The import is undone: {undone} ended. {left} had changed since, and stay as they are."),
    };
    Ok(Response::see(visit.url("/imports")).flash(Flash::new(text)))
}
