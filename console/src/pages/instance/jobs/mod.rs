//! /console/instance/jobs: the jobs of all guilds, newest first.

mod filter;
pub(crate) mod one;
pub(crate) mod retry;
mod row;

use askama::Template;
use entities::job::{Class, Status, listing};
use entities::{GuildId, JobId, Page as Part, guild, job::retry as rows};

use super::{guild_names, url};
use crate::answer::{Answer, PageError};
use crate::fields::Fields;
use crate::form::Form;
use crate::shell::Shell;
use crate::shell::instance::InstancePlace;
use crate::visit::Visit;
use crate::words::Count;
use filter::JobFilter;
use row::Row;

/// The field for an id, which leads to what it names.
const SEARCH: &str = "q";
/// Jobs of one page.
const SHOWN: u64 = 50;

#[derive(Template)]
#[template(path = "instance/jobs.html")]
struct Page {
    shell: Shell,
    form: Form,
    states: &'static [&'static str],
    kinds: Vec<&'static str>,
    classes: &'static [&'static str],
    filtered: bool,
    rows: Vec<Row>,
    /// The query of the next page.
    more: Option<String>,
    bulk: Option<Bulk>,
}

/// Failed or dead jobs can be retried together.
struct Bulk {
    total: Count<u64>,
    /// Asks before all of them are retried.
    all_url: String,
}

pub(crate) async fn get(visit: Visit) -> Result<Answer, PageError> {
    let query = visit.query.clone();
    if query.has(SEARCH) {
        return search(&visit, query).await;
    }
    let filter = match JobFilter::of(&query) {
        Ok(filter) => filter,
        Err(problem) => return show(&visit, Form::wrong(&query, Some("guild"), &problem), Vec::new(), None),
    };
    let part = Part { cursor: query.read::<JobId>("before"), limit: SHOWN + 1 };
    let mut jobs = listing::list(visit.read(), filter.listing(), part, visit.now()).await?;
    let has_more = jobs.len() as u64 > SHOWN;
    jobs.truncate(usize::try_from(SHOWN).unwrap_or(usize::MAX));
    let names = guild_names(&visit, jobs.iter().filter_map(|job| job.guild_id)).await?;
    let last = jobs.last().filter(|_| has_more).map(|job| job.job_id.to_string());
    let rows = jobs.iter().map(|job| Row::new(job, &names, visit.now())).collect();
    let bulk = match filter.to_retry() {
        Some(which) => Some(bulk(&visit, which, &query).await?).filter(|bulk| bulk.total.0 > 0),
        None => None,
    };
    let more = last.map(|last| query.with("before", &last));
    let page = page(&visit, Form::new(query), rows, more);
    Answer::page(&Page { bulk, ..page })
}

/// To the job or the server's jobs that this id names.
async fn search(visit: &Visit, query: Fields) -> Result<Answer, PageError> {
    let typed = query.text(SEARCH);
    if let Ok(job) = typed.parse::<JobId>()
        && listing::find_any(visit.read(), job).await?.is_some()
    {
        return Ok(Answer::see(url(&format!("/jobs/{job}"))));
    }
    if let Ok(id) = typed.parse::<GuildId>()
        && guild::find(visit.read(), id).await?.is_some()
    {
        return Ok(Answer::see(url(&format!("/jobs?guild={id}"))));
    }
    show(visit, Form::wrong(&query, Some(SEARCH), "No job and no server has this id."), Vec::new(), None)
}

async fn bulk(visit: &Visit, which: rows::Which<'_>, query: &Fields) -> Result<Bulk, PageError> {
    let total = rows::count_failed(visit.read(), which).await?;
    let all = query.with("before", "");
    Ok(Bulk { total: Count(total, "job"), all_url: url(&format!("/jobs/retry?{all}")) })
}

/// Answers a filter that names nothing.
fn show(visit: &Visit, form: Form, rows: Vec<Row>, more: Option<String>) -> Result<Answer, PageError> {
    Ok(Answer::page(&page(visit, form, rows, more))?.status(http::StatusCode::UNPROCESSABLE_ENTITY))
}

fn page(visit: &Visit, form: Form, rows: Vec<Row>, more: Option<String>) -> Page {
    Page {
        shell: Shell::of_instance("Jobs", visit, InstancePlace::Jobs),
        filtered: filter::FIELDS.iter().any(|name| !form.text(name).is_empty()),
        form,
        states: Status::NAMES,
        kinds: queue::kinds::ALL.iter().map(|(kind, _)| *kind).collect(),
        classes: Class::NAMES,
        rows,
        more,
        bulk: None,
    }
}
