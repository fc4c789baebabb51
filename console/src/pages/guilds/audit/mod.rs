//! /console/guilds/:guild/audit: who changed what, newest first.

mod changes;
pub(crate) mod export;
mod filter;
pub(crate) mod one;

use askama::Template;
use entities::audit_entry::{self, Model};
use entities::{AuditId, Page as Part};

use super::actors::Actors;
use super::people::Who;
use crate::answer::{Answer, PageError};
use crate::form::Form;
use crate::shell::{Place, Shell};
use crate::visit::GuildVisit;
use crate::words::When;
use filter::AuditFilter;

/// Entries of one page.
const SHOWN: usize = 50;

#[derive(Template)]
#[template(path = "guilds/audit.html")]
struct Page {
    shell: Shell,
    url: String,
    form: Form,
    filtered: bool,
    rows: Vec<Row>,
    more: Option<String>,
    /// The query of an export with the same filters.
    query: String,
}

struct Row {
    id: AuditId,
    action: String,
    /// Appended by a client, unchecked.
    custom: bool,
    who: Option<Who>,
    target: String,
    fields: String,
    at: When,
}

impl Row {
    fn new(visit: &GuildVisit, entry: &Model, actors: &Actors) -> Self {
        Self {
            id: entry.audit_id,
            action: entry.action.clone(),
            custom: entry.source == audit_entry::Source::Custom,
            who: actors.who(visit, entry.actor_id),
            target: entry.target_id.clone(),
            fields: changes::summary(&entry.metadata),
            at: visit.when(entry.created_at),
        }
    }
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Answer, PageError> {
    let query = visit.query.clone();
    let (filter, form) = match AuditFilter::read(&query) {
        Ok(filter) => (Some(filter), Form::new(query.clone())),
        Err((field, problem)) => (None, Form::wrong(&query, Some(field), &problem)),
    };
    let part = Part { cursor: query.read::<AuditId>("before"), limit: SHOWN as u64 + 1 };
    let mut entries = match &filter {
        Some(filter) => audit_entry::list(visit.read(), visit.guild.guild_id, filter.listing(), part).await?,
        None => Vec::new(),
    };
    let has_more = entries.len() > SHOWN;
    entries.truncate(SHOWN);
    let last = entries.last().filter(|_| has_more).map(|entry| entry.audit_id.to_string());
    let actors = Actors::read(&visit, entries.iter().map(|entry| entry.actor_id).collect()).await?;
    let page = Page {
        shell: visit.shell("Audit", Place::Audit),
        url: visit.url("/audit"),
        filtered: filter.is_none_or(|filter| filter != AuditFilter::default()),
        rows: entries.iter().map(|entry| Row::new(&visit, entry, &actors)).collect(),
        more: last.map(|last| query.with("before", &last)),
        query: query.with("before", ""),
        form,
    };
    Ok(Answer::page(&page)?.status(page.form.status()))
}
