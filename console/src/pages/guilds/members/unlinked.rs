//! The page of a Discord account without a link: what the guild knows of it does not end with the link.

use askama::Template;
use entities::{ChatId, Subject};

use super::links::{self, Ended};
use super::records::{self, May};
use crate::html::shell::{Place, Shell};
use crate::pages::guilds::audit::Sentence;
use crate::pages::guilds::moderation::Row;
use crate::pages::guilds::people::{Standing, Who, identify};
use crate::response::{PageError, Response};
use crate::visit::GuildVisit;

#[derive(Template)]
#[template(path = "guilds/members/unlinked.html")]
struct Page {
    shell: Shell,
    root: String,
    who: Who,
    chat: String,
    may: May,
    sanctions: Vec<Row>,
    links: Vec<Ended>,
    audit: Vec<Sentence>,
}

/// Not found: who is not in the Discord server, and of whom the viewer may read nothing.
pub(super) async fn show(visit: &GuildVisit, chat: ChatId) -> Result<Response, PageError> {
    // The history of links is the audit log's.
    let links = if visit.may("audit.read") { links::ended(visit, chat, None).await? } else { Vec::new() };
    let (active, ended) = records::sanctions(visit, Subject::Chat(chat).into()).await?;
    let sanctions: Vec<_> = active.into_iter().chain(ended).collect();
    let (who, standing) = identify(visit, Subject::Chat(chat)).await?;
    let audit = records::audit(visit, &[chat.to_string()]).await?;
    let is_recorded = !(links.is_empty() && sanctions.is_empty() && audit.is_empty());
    if !is_recorded && standing != Standing::Unlinked(Some(true)) {
        return Err(PageError::NotFound);
    }
    Response::page(&Page {
        shell: visit.shell(&who.name, Place::Members),
        root: visit.url(""),
        chat: chat.to_string(),
        may: May::of(visit),
        who,
        sanctions,
        links,
        audit,
    })
}
