//! /console/guilds/:guild/audit/:entry: one entry, with before and after side by side.

use askama::Template;
use entities::audit_entry::{self, Source};
use entities::{AuditId, api_key};

use super::About;
use super::changes::{Field, Shown, fields};
use super::names::Names;
use crate::fields::Fields;
use crate::html::format::When;
use crate::html::shell::{Place, Shell};
use crate::pages::guilds::people::Who;
use crate::response::{PageError, Response};
use crate::visit::GuildVisit;

#[derive(Template)]
#[template(path = "guilds/audit_entry.html")]
struct Page {
    shell: Shell,
    url: String,
    id: AuditId,
    action: String,
    /// Leads to all entries of this action.
    same: String,
    custom: bool,
    who: Option<Who>,
    about: About,
    at: When,
    key: Option<String>,
    request: Option<String>,
    /// Its position in the log, and its hash.
    place: Option<(i64, String)>,
    fields: Vec<Field>,
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    let (conn, guild) = (visit.read(), visit.guild.guild_id);
    let id: AuditId = visit.param("entry")?;
    let entry = audit_entry::find(conn, guild, id).await?.ok_or(PageError::NotFound)?;
    let key = match entry.key_id {
        Some(key) => Some(api_key::name_of(conn, guild, key, entry.created_at).await?),
        None => None,
    };
    let names = Names::read(&visit, std::slice::from_ref(&entry)).await?;
    let sentence = names.sentence(&entry);
    let page = Page {
        shell: visit.shell(&sentence, Place::Audit),
        url: visit.url("/audit"),
        id: entry.audit_id,
        same: visit.url(&format!("/audit?{}", Fields::of(&[("action", &entry.action)]).with("before", ""))),
        custom: entry.source == Source::Custom,
        who: names.who(&visit, &entry.actor_id.to_string()),
        at: visit.when(entry.created_at),
        fields: fields(&entry.metadata, |field, value| names.shown(&visit, field, value)),
        about: About::of(&visit, &names, &entry),
        place: entry.position.zip(entry.hash.map(hex::encode)),
        action: entry.action,
        key,
        request: entry.request_id,
    };
    Response::page(&page)
}
