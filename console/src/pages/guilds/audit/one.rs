//! /console/guilds/:guild/audit/:entry: one entry, with before and after side by side.

use askama::Template;
use entities::audit_entry::{self, Source};
use entities::{AuditId, api_key};

use super::changes::{Field, fields};
use crate::answer::{Answer, PageError};
use crate::pages::guilds::actors::Actors;
use crate::pages::guilds::people::Who;
use crate::shell::{Place, Shell};
use crate::visit::GuildVisit;
use crate::words::When;

#[derive(Template)]
#[template(path = "guilds/audit_entry.html")]
struct Page {
    shell: Shell,
    url: String,
    id: AuditId,
    custom: bool,
    who: Option<Who>,
    target: String,
    at: When,
    key: Option<String>,
    request: Option<String>,
    fields: Vec<Field>,
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Answer, PageError> {
    let (conn, guild) = (visit.read(), visit.guild.guild_id);
    let id: AuditId = visit.param("entry")?;
    let entry = audit_entry::find(conn, guild, id).await?.ok_or(PageError::NotFound)?;
    let key = match entry.key_id {
        Some(key) => api_key::public_id(conn, key).await?,
        None => None,
    };
    let actors = Actors::read(&visit, vec![entry.actor_id]).await?;
    let page = Page {
        shell: visit.shell(&entry.action, Place::Audit),
        url: visit.url("/audit"),
        id: entry.audit_id,
        custom: entry.source == Source::Custom,
        who: actors.who(&visit, entry.actor_id),
        at: visit.when(entry.created_at),
        fields: fields(&entry.metadata),
        target: entry.target_id,
        key,
        request: entry.request_id,
    };
    Answer::page(&page)
}
