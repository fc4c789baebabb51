//! /console/guilds/:guild/moderation/bans/:ban: one ban or mute.

use askama::Template;
use entities::sanction::{self, Lifted, active, history};
use entities::{Person, SanctionId, SanctionKind, api_key, server_command};
use http::Method;
use jobs::mirror::may_be_asked_for;
use serde_json::Map;

use super::mirror::Mirror;
use super::{Kind, Row, evidence, length, shown};
use crate::fields::Fields;
use crate::html::form::Form;
use crate::html::shell::{Place, Shell};
use crate::pages::guilds::people::identify;
use crate::pages::guilds::servers::rows::Command;
use crate::response::{Flash, PageError, Response};
use crate::visit::GuildVisit;

const FIELDS: [&str; 3] = ["reason", "length", "amount"];

#[derive(Template)]
#[template(path = "guilds/moderation/sanction.html")]
struct Page {
    shell: Shell,
    row: Row,
    form: Form,
    may_write: bool,
    /// The key that named the moderator.
    named_by: Option<String>,
    /// Addresses in the reason.
    evidence: Vec<String>,
    mirror: Option<Mirror>,
    /// Game servers that were told to remove the player.
    kicks: Vec<Command>,
    superseded_by: Option<String>,
    /// Other active ones of the person.
    together: Vec<Row>,
    /// The list of all of the person.
    all_url: String,
    list_url: String,
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    let row = load(&visit).await?;
    let reason = [("reason", row.reason.as_str())];
    show(&visit, row.clone(), Form::new(Fields::of(&reason))).await
}

/// The ban or mute that the address names.
pub(super) async fn load(visit: &GuildVisit) -> Result<sanction::Model, PageError> {
    // Changes have a right of their own, but show this page.
    if !visit.may("moderation.read") {
        return Err(PageError::NotFound);
    }
    let (kind, id): (Kind, SanctionId) = (visit.param("kind")?, visit.param("id")?);
    let row = history::find(visit.read(), visit.guild.guild_id, id).await?;
    row.filter(|row| row.kind == kind.0).ok_or(PageError::NotFound)
}

pub(super) async fn show(
    visit: &GuildVisit,
    row: sanction::Model,
    form: Form,
) -> Result<Response, PageError> {
    let kind = Kind(row.kind);
    let successor = match row.lifted_how {
        Some(Lifted::Superseded) => history::successor(visit.read(), &row).await?,
        _ => None,
    };
    let subject = row.subject().map(|subject| subject.to_string()).unwrap_or_default();
    let mut others = active_of(visit, &row).await?;
    others.retain(|other| other.sanction_id != row.sanction_id);
    let mut shown_row = shown(visit, std::slice::from_ref(&row)).await?.pop().ok_or(PageError::NotFound)?;
    if let Some(subject) = row.subject() {
        shown_row.who = identify(visit, subject).await?.0;
    }
    let page = Page {
        shell: visit
            .shell(&format!("{} #{}: {}", kind.title(), row.number, shown_row.who.name), Place::Moderation),
        row: shown_row,
        form,
        may_write: visit.may("moderation.write"),
        named_by: named_by(visit, &row).await?,
        evidence: evidence::links(&row.reason),
        mirror: Mirror::read(visit, &row, may_be_asked_for(visit.read(), &row, visit.now()).await?),
        kicks: kicks(visit, &row).await?,
        superseded_by: successor.map(|new| visit.url(&kind.one(new.sanction_id))),
        together: shown(visit, &others).await?,
        all_url: visit.url(&format!("{}?state=all&person={subject}", kind.path())),
        list_url: visit.url(kind.path()),
    };
    Ok(Response::page(&page)?.status(page.form.status()))
}

async fn kicks(visit: &GuildVisit, row: &sanction::Model) -> Result<Vec<Command>, PageError> {
    let (conn, guild) = (visit.read(), visit.guild.guild_id);
    let Some(subject) = row.subject().filter(|_| row.kind == SanctionKind::Ban) else {
        return Ok(Vec::new());
    };
    let Some(player) = Person::resolve(conn, guild, subject).await?.play else { return Ok(Vec::new()) };
    Command::all(visit, &server_command::kicks(conn, guild, player, row.created_at).await?).await
}

/// The public id of the key that named the moderator, or the number of a key that is gone.
async fn named_by(visit: &GuildVisit, row: &sanction::Model) -> Result<Option<String>, PageError> {
    let Some(key) = row.key_id else { return Ok(None) };
    Ok(Some(api_key::name_of(visit.read(), visit.guild.guild_id, key, row.created_at).await?))
}

/// All active ones of the person and kind: lifting all of the person ends them.
pub(super) async fn active_of(
    visit: &GuildVisit,
    row: &sanction::Model,
) -> Result<Vec<sanction::Model>, PageError> {
    let (conn, guild) = (visit.read(), visit.guild.guild_id);
    let Some(subject) = row.subject() else { return Ok(Vec::new()) };
    let person = Person::resolve(conn, guild, subject).await?;
    let mut rows = active::of_person(conn, guild, person, visit.now()).await?;
    rows.retain(|other| other.kind == row.kind);
    Ok(rows)
}

/// Lets a held ban go to Discord, or one that its job left undone.
pub(crate) async fn allow_mirror(visit: GuildVisit) -> Result<Response, PageError> {
    let row = load(&visit).await?;
    let path = format!("/moderation/{{g}}/bans/{}/mirror", row.sanction_id);
    let answer = visit.api(Method::POST, &path, Map::new()).await;
    if !answer.status.is_success() {
        return show(&visit, row, Form::refused(&visit.form, &answer)).await;
    }
    let told =
        if row.in_force(visit.now()) { "The ban goes to Discord." } else { "The lift goes to Discord." };
    let flash = Flash::new(told.to_owned());
    Ok(Response::see(visit.url(&Kind(row.kind).one(row.sanction_id))).flash(flash))
}
