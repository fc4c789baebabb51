//! /console/guilds/:guild/audit: who changed what, newest first.

mod changes;
pub(crate) mod entry;
pub(crate) mod export;
mod filter;
mod names;

use askama::Template;
use entities::audit_entry::{self, Model};
use entities::{AuditId, Page as Part};
use people::audit::{AREAS, action_table};

use super::people::Who;
use crate::fields::Fields;
use crate::html::form::Form;
use crate::html::format::When;
use crate::html::shell::{Place, Shell};
use crate::response::{PageError, Response};
use crate::visit::GuildVisit;
use filter::{AuditFilter, CUSTOM, InvalidFilter};
use names::Names;

/// Entries of one page.
const SHOWN: usize = 40;

#[derive(Template)]
#[template(path = "guilds/audit.html")]
struct Page {
    shell: Shell,
    url: String,
    form: Form,
    /// A chosen action without words: one that a client named.
    chosen: Option<String>,
    filtered: bool,
    rows: Vec<Row>,
    more: Option<String>,
    /// The query of an export with the same filters.
    query: String,
    /// The filters as fields of a form.
    kept: [&'static str; 7],
}

struct Row {
    id: AuditId,
    /// Who did what to whom.
    sentence: String,
    action: String,
    /// The query of all entries of this action.
    same: String,
    /// Appended by a client, unchecked.
    custom: bool,
    who: Option<Who>,
    about: About,
    fields: String,
    at: When,
}

/// The target of an entry: a person if it has one, or else the id.
struct About {
    who: Option<Who>,
    target: String,
}

impl About {
    fn of(visit: &GuildVisit, names: &Names, entry: &Model) -> Self {
        Self { who: names.target(visit, entry), target: entry.target_id.clone() }
    }
}

impl Row {
    fn new(visit: &GuildVisit, entry: &Model, names: &Names) -> Self {
        Self {
            id: entry.audit_id,
            sentence: names.sentence(entry),
            same: Fields::of(&[("action", &entry.action)]).with("before", ""),
            action: entry.action.clone(),
            custom: entry.source == audit_entry::Source::Custom,
            who: names.who(visit, &entry.actor_id.to_string()),
            about: About::of(visit, names, entry),
            fields: changes::summary(&entry.metadata, |name, value| names.in_short(name, value)),
            at: visit.when(entry.created_at),
        }
    }
}

/// Entries as sentences, with the page of each.
pub(in crate::pages::guilds) struct Sentence {
    pub(in crate::pages::guilds) words: String,
    pub(in crate::pages::guilds) url: String,
    pub(in crate::pages::guilds) at: When,
}

pub(in crate::pages::guilds) async fn sentences(
    visit: &GuildVisit,
    entries: &[Model],
) -> Result<Vec<Sentence>, PageError> {
    let names = Names::read(visit, entries).await?;
    let sentence = |entry: &Model| Sentence {
        words: names.sentence(entry),
        url: visit.url(&format!("/audit/{}", entry.audit_id)),
        at: visit.when(entry.created_at),
    };
    Ok(entries.iter().map(sentence).collect())
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    show(&visit, AuditFilter::read(&visit).await?).await
}

/// The entries of the filter, or its error.
async fn show(visit: &GuildVisit, filter: Result<AuditFilter, InvalidFilter>) -> Result<Response, PageError> {
    let query = visit.query.clone();
    let (filter, form) = match filter {
        Ok(filter) => (Some(filter), Form::new(query.clone())),
        Err((field, problem)) => (None, Form::unresolved(&query, field, problem)),
    };
    let part = Part { cursor: query.read::<AuditId>("before"), limit: SHOWN as u64 + 1 };
    let mut entries = match &filter {
        Some(filter) => audit_entry::list(visit.read(), visit.guild.guild_id, filter.listing(), part).await?,
        None => Vec::new(),
    };
    let has_more = entries.len() > SHOWN;
    entries.truncate(SHOWN);
    let last = entries.last().filter(|_| has_more).map(|entry| entry.audit_id.to_string());
    let names = Names::read(visit, &entries).await?;
    let unnamed = query.has("action")
        && query.text("action") != CUSTOM
        && action_table::of(query.text("action")).is_none();
    let page = Page {
        shell: visit.shell("Audit", Place::Audit),
        url: visit.url("/audit"),
        chosen: unnamed.then(|| query.text("action").to_owned()),
        filtered: filter.is_none_or(|filter| filter != AuditFilter::default()),
        rows: entries.iter().map(|entry| Row::new(visit, entry, &names)).collect(),
        more: last.map(|last| query.with("before", &last)),
        query: query.with("before", ""),
        kept: ["action", "actor", "actor_is", "target", "target_is", "from", "to"],
        form,
    };
    Ok(Response::page(&page)?.status(page.form.status()))
}
