//! /console/instance/jobs: the jobs of all guilds, newest first.

mod filter;
pub(crate) mod job;
pub(crate) mod retry;
mod row;
mod title;

use askama::Template;
use entities::job::{Class, State, Status, listing};
use entities::{GuildId, JobId, Page as Part, guild, job::retry as rows};
use people::labels::capital;

use super::{guild_names, url};
use crate::fields::{Fields, segment};
use crate::html::form::Form;
use crate::html::format::Count;
use crate::html::shell::Shell;
use crate::html::shell::instance::InstancePlace;
use crate::response::{PageError, Response};
use crate::visit::Visit;
use filter::JobFilter;
use row::Row;

/// The input of the search bar: an id, or the name of a server.
const SEARCH_FIELD: &str = "q";
/// The field for the id of a job or server.
const ID_FIELD: &str = "guild";
/// Jobs of one page.
const SHOWN: u64 = 50;

#[derive(Template)]
#[template(path = "instance/jobs.html")]
struct Page {
    shell: Shell,
    form: Form,
    states: &'static [&'static str],
    kinds: Vec<(&'static str, &'static str)>,
    classes: &'static [&'static str],
    filtered: bool,
    /// Periodic jobs are left out.
    of_guilds: bool,
    /// Dead jobs, where all states are shown.
    dead: Count<u64>,
    rows: Vec<Row>,
    /// The query of the next page.
    more: Option<String>,
    bulk: Option<Bulk>,
    /// The texts of an empty list.
    none: (String, String),
}

/// Failed or dead jobs can be retried together.
struct Bulk {
    total: Count<u64>,
    /// Asks before all of them are retried.
    all_url: String,
}

pub(crate) async fn get(visit: Visit) -> Result<Response, PageError> {
    let query = visit.query.clone();
    if query.has(SEARCH_FIELD) {
        return search(&visit, query.text(SEARCH_FIELD)).await;
    }
    if let Some(job) = job(&visit, query.text(ID_FIELD)).await? {
        return Ok(Response::see(job));
    }
    let filter = match JobFilter::of(&query) {
        Ok(filter) => filter,
        Err(problem) => return wrong(&visit, &query, &problem),
    };
    if let Some(id) = query.read::<GuildId>(ID_FIELD)
        && guild::find(visit.read(), id).await?.is_none()
    {
        return wrong(&visit, &query, "No job and no server has this id.");
    }
    let part = Part { cursor: query.read::<JobId>("before"), limit: SHOWN + 1 };
    let (conn, listing) = (visit.read(), filter.listing());
    let mut jobs = if filter.is_of_guilds() {
        listing::list_of_guilds(conn, listing, part, visit.now()).await?
    } else {
        listing::list(conn, listing, part, visit.now()).await?
    };
    let has_more = jobs.len() as u64 > SHOWN;
    jobs.truncate(usize::try_from(SHOWN).unwrap_or(usize::MAX));
    let names = guild_names(&visit, jobs.iter().filter_map(|job| job.guild_id)).await?;
    let last = jobs.last().filter(|_| has_more).map(|job| job.job_id.to_string());
    let rows = jobs.iter().map(|job| Row::new(job, &names, visit.now())).collect();
    let bulk = match filter.to_retry() {
        Some(which) => Some(bulk(&visit, which, &query).await?).filter(|bulk| bulk.total.0 > 0),
        None => None,
    };
    let dead = if query.has("state") { 0 } else { count_dead(&visit).await? };
    let dead = Count(dead, "dead job");
    let (more, of_guilds, none) =
        (last.map(|last| query.with("before", &last)), filter.is_of_guilds(), none(&filter));
    let page = page(&visit, Form::new(query));
    Response::page(&Page { of_guilds, dead, rows, more, bulk, none, ..page })
}

/// The page of the job that this id names.
async fn job(visit: &Visit, typed: &str) -> Result<Option<String>, PageError> {
    let Ok(job) = typed.parse::<JobId>() else { return Ok(None) };
    let found = listing::find_any(visit.read(), job).await?;
    Ok(found.map(|job| url(&format!("/jobs/{}", job.job_id))))
}

/// To the job or the server's jobs that this id names, or to the servers with this name.
async fn search(visit: &Visit, typed: &str) -> Result<Response, PageError> {
    if let Some(job) = job(visit, typed).await? {
        return Ok(Response::see(job));
    }
    let guild = match typed.parse::<GuildId>() {
        Ok(id) => guild::find(visit.read(), id).await?,
        Err(_) => None,
    };
    Ok(Response::see(match guild {
        Some(guild) => url(&format!("/jobs?guild={}", guild.guild_id)),
        None => url(&format!("/guilds?q={}", segment(typed))),
    }))
}

async fn count_dead(visit: &Visit) -> Result<u64, PageError> {
    let dead = rows::Which { state: Some(State::Dead), ..rows::Which::default() };
    Ok(rows::count_failed(visit.read(), dead).await?)
}

/// The text of an empty list.
fn none(filter: &JobFilter) -> (String, String) {
    match filter.only_status().map(Status::name) {
        Some(state @ ("failed" | "dead")) => (
            format!("No {state} jobs."),
            format!("{} jobs appear here; retry them one by one or all together.", capital(state)),
        ),
        _ => (
            "No job matches.".to_owned(),
            "Finished jobs are kept for 30 days, successful periodic ones for one.".to_owned(),
        ),
    }
}

async fn bulk(visit: &Visit, which: rows::Which<'_>, query: &Fields) -> Result<Bulk, PageError> {
    let total = rows::count_failed(visit.read(), which).await?;
    let all = query.with("before", "");
    Ok(Bulk { total: Count(total, "job"), all_url: url(&format!("/jobs/retry?{all}")) })
}

/// Answers an invalid filter.
fn wrong(visit: &Visit, query: &Fields, problem: &str) -> Result<Response, PageError> {
    let form = Form::wrong(query, Some(ID_FIELD), problem);
    Ok(Response::page(&page(visit, form))?.status(http::StatusCode::UNPROCESSABLE_ENTITY))
}

/// Without jobs.
fn page(visit: &Visit, form: Form) -> Page {
    Page {
        shell: Shell::of_instance("Jobs", visit, InstancePlace::Jobs),
        filtered: filter::FIELDS.iter().any(|name| !form.text(name).is_empty()),
        form,
        states: Status::NAMES,
        kinds: title::kinds(),
        classes: Class::NAMES,
        of_guilds: false,
        dead: Count(0, "dead job"),
        rows: Vec::new(),
        more: None,
        bulk: None,
        none: Default::default(),
    }
}
