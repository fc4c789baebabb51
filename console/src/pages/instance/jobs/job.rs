//! /console/instance/jobs/:job: one job with the errors of its attempts; retry and cancel.

use askama::Template;
use entities::job::history::AttemptError;
use entities::job::{Model, State, Status, listing};
use entities::{JobId, Page as Part, api_key, job_failure};
use http::StatusCode;
use jobs::Retry;
use runtime::UnitOfWork;

use super::super::{guild_names, person, url};
use super::row::{Mark, name_of};
use super::title::title;
use crate::html::format::{Length, Number, When};
use crate::html::shell::Shell;
use crate::html::shell::instance::InstancePlace;
use crate::pages::guilds::people::Who;
use crate::response::{Flash, PageError, Response};
use crate::visit::Visit;

/// Failed members that are shown.
const FAILURES: u64 = 50;
/// Characters of each text that are shown: the result of a preview has thousands of lines.
const TEXT_MAX: usize = 8_000;

#[derive(Template)]
#[template(path = "instance/job.html")]
struct Page {
    shell: Shell,
    id: JobId,
    state: Mark,
    /// Why the last request was refused; empty: there was none.
    problem: String,
    may_retry: bool,
    may_cancel: bool,
    progress: Option<Progress>,
    by: Option<Who>,
    facts: Vec<Fact>,
    times: Vec<(&'static str, When)>,
    attempts: Vec<(AttemptError, When)>,
    failures: Vec<job_failure::Model>,
    /// The query of the next ones.
    more_failures: Option<String>,
    /// As the service keeps them, indented.
    texts: Vec<(&'static str, String)>,
    parent: Option<JobId>,
}

struct Fact {
    name: &'static str,
    text: String,
    /// To copy.
    id: Option<String>,
}

struct Progress {
    done: i64,
    total: i64,
    words: String,
    left: Option<Length>,
}

async fn find(visit: &Visit) -> Result<Model, PageError> {
    listing::find_any(visit.read(), visit.param("job")?).await?.ok_or(PageError::NotFound)
}

pub(crate) async fn get(visit: Visit) -> Result<Response, PageError> {
    let job = find(&visit).await?;
    show(&visit, &job, String::new()).await
}

async fn show(visit: &Visit, job: &Model, problem: String) -> Result<Response, PageError> {
    let status = job.status(visit.now());
    let part = Part { cursor: visit.query.read("after"), limit: FAILURES + 1 };
    let mut failures = job_failure::list(visit.read(), job.job_id, part).await?;
    let has_more = failures.len() as u64 > FAILURES;
    failures.truncate(usize::try_from(FAILURES).unwrap_or(usize::MAX));
    let last = failures.last().filter(|_| has_more);
    let more_failures = last.map(|last| visit.query.with("after", &last.failure_id.to_string()));
    let refused = !problem.is_empty();
    let page = Page {
        shell: Shell::of_instance(&title(job), visit, InstancePlace::Jobs),
        id: job.job_id,
        state: Mark::of(status),
        problem,
        may_retry: job.parent_id.is_none()
            && matches!(status, Status::Failed | Status::Dead | Status::Retrying | Status::Scheduled),
        may_cancel: job.is_cancellable() && !job.cancel_requested,
        progress: progress(visit, job),
        by: match job.actor_id {
            Some(user) => person(visit, job.guild_id, user).await?,
            None => None,
        },
        facts: facts(visit, job).await?,
        times: times(visit, job),
        attempts: job
            .history()
            .into_iter()
            .rev()
            .map(|error| (error.clone(), visit.when(error.at)))
            .collect(),
        failures,
        more_failures,
        texts: texts(job),
        parent: job.parent_id,
    };
    let status = if refused { StatusCode::CONFLICT } else { StatusCode::OK };
    Ok(Response::page(&page)?.status(status))
}

fn progress(visit: &Visit, job: &Model) -> Option<Progress> {
    let (done, total) = (job.progress_done, job.progress_total);
    let left = queue::eta(job, visit.now()).and_then(|left| chrono::TimeDelta::from_std(left).ok());
    let words = format!("{} of {} done, {} failed", Number(done), Number(total), Number(job.progress_failed));
    (total > 0).then_some(Progress { done, total, words, left: left.map(Length) })
}

async fn facts(visit: &Visit, job: &Model) -> Result<Vec<Fact>, PageError> {
    let names = guild_names(visit, job.guild_id).await?;
    let key = match job.guild_id.zip(job.key_id) {
        Some((guild, key)) => Some(api_key::name_of(visit.read(), guild, key, job.created_at).await?),
        None => None,
    };
    let text = |name, text: Option<String>| Some(Fact { name, text: text?, id: None });
    let id = |name, id: Option<String>| Some(Fact { name, text: String::new(), id: Some(id?) });
    let error = job.failure().map(|failure| format!("{}: {}", failure.error, failure.message));
    let server = |guild| Fact { name: "Server", text: name_of(&names, guild), id: Some(guild.to_string()) };
    let facts = [
        text("Last error", error),
        job.guild_id.map(server),
        text("Class", Some(job.class.name().to_owned())),
        text("Attempt", Some(format!("{} of {}", job.attempt, job.max_attempts))),
        text("Crashes in a row", (job.crashes > 0).then(|| job.crashes.to_string())),
        text("Cancel", job.cancel_requested.then(|| "asked for".to_owned())),
        id("Worker", job.worker.clone()),
        id("Key", key),
        id("Request", job.request_id.clone()),
        id("Trace", job.trace_id().map(str::to_owned)),
        text("Only one at a time as", job.dedupe_key.clone()),
    ];
    Ok(facts.into_iter().flatten().collect())
}

fn times(visit: &Visit, job: &Model) -> Vec<(&'static str, When)> {
    let due = (job.state == State::Queued).then_some(job.run_at);
    let times = [
        ("Created", Some(job.created_at)),
        ("Due", due),
        ("Started", job.started_at),
        ("Finished", job.finished_at),
    ];
    times.into_iter().filter_map(|(name, at)| Some((name, visit.when(at?)))).collect()
}

fn texts(job: &Model) -> Vec<(&'static str, String)> {
    let pretty = |json: &serde_json::Value| {
        let text = serde_json::to_string_pretty(json).unwrap_or_default();
        match text.char_indices().nth(TEXT_MAX) {
            Some((end, _)) => format!("{}\n… The rest is not shown.", &text[..end]),
            None => text,
        }
    };
    let texts = [
        ("Arguments", Some(&job.args)),
        ("Result", job.result.as_ref()),
        ("Checkpoint", job.checkpoint.as_ref()),
    ];
    texts.into_iter().filter_map(|(name, json)| Some((name, pretty(json?)))).collect()
}

pub(crate) async fn retry(visit: Visit) -> Result<Response, PageError> {
    let (job, now) = (find(&visit).await?, visit.now());
    let problem = match visit.operator().retry(&visit.context().database, &job, now).await? {
        Retry::Queued(row) => {
            visit.queue().publish([row.message()]);
            visit.log("jobs.retry", &job.job_id.to_string());
            let flash = Flash::new("The job is due now. A worker takes it within seconds.");
            return Ok(Response::see(url(&format!("/jobs/{}", job.job_id))).flash(flash));
        }
        Retry::NotFailed(_) => {
            "Only jobs that failed, are dead or wait for their next attempt can be retried.".to_owned()
        }
        Retry::PartOf(parent) => format!("This is a chunk of job {parent}; retry that one."),
        Retry::Duplicate(other) => {
            format!("Job {other} does the same and is not finished: wait for it or cancel it.")
        }
        Retry::OverQuota(standing) => {
            let left = chrono::TimeDelta::from_std(standing.reset_after()).unwrap_or_default();
            format!("The server has used its quota of bulk syncs. The next is possible in {}.", Length(left))
        }
    };
    show(&visit, &job, problem).await
}

pub(crate) async fn cancel(visit: Visit) -> Result<Response, PageError> {
    let job = find(&visit).await?;
    if !job.is_cancellable() {
        return show(&visit, &job, format!("The job is already {}.", job.status(visit.now()).name())).await;
    }
    let mut work = UnitOfWork::begin(visit.context()).await?;
    let cancelled = visit.operator().cancel(visit.queue(), work.tx(), job.job_id, visit.now()).await?;
    let (after, event) = cancelled.ok_or(PageError::NotFound)?;
    work.announce([event]);
    visit.commit(work).await?;
    visit.log("jobs.cancel", &after.job_id.to_string());
    let text = match (after.state, job.parent_id) {
        (State::Cancelled, None) => "The job is cancelled.",
        (State::Cancelled, Some(_)) => "The job that the chunk is part of is cancelled.",
        (_, None) => "The cancel is requested. Its worker gets it within a second.",
        (_, Some(_)) => {
            "The cancel of the job that the chunk is part of is requested. Its workers get it within a second."
        }
    };
    Ok(Response::see(url(&format!("/jobs/{}", after.job_id))).flash(Flash::new(text)))
}
