//! /console/guilds/:guild/jobs/:job: one job while it runs and afterwards; cancel and retry.

use askama::Template;
use entities::JobId;
use entities::job::Failure;
use entities::job::history::AttemptError;
use entities::job::{Model, State, Status, listing};
use http::{Method, StatusCode};
use jobs::bulk_sync::{SyncAll, UndoSync};
use jobs::undo::{self, Problem};
use people::Needs;
use people::actions::needs_of_job;
use people::labels::{capital, of_people};
use queue::Payload;
use serde_json::Map;

use super::facts::{self, Reason};
use super::names::{Mark, is_preview};
use super::progress::Progress;
use crate::html::format::{Number, When};
use crate::html::shell::{Place, Shell};
use crate::pages::guilds::actors::Actors;
use crate::pages::guilds::paused::{self, Paused};
use crate::pages::guilds::people::Who;
use crate::pages::guilds::sync::changes::Made;
use crate::response::{Flash, PageError, Response};
use crate::visit::GuildVisit;

/// The code of a sync that its safety limit stopped.
const TOO_MANY: &str = "too_many_removals";

#[derive(Template)]
#[template(path = "guilds/job.html")]
struct Page {
    shell: Shell,
    url: String,
    id: JobId,
    state: Mark,
    /// A cancel was requested, and it still runs.
    stopping: bool,
    /// Why the last request was refused; empty: there was none.
    problem: String,
    /// While it waits.
    paused: Vec<Paused>,
    may_cancel: bool,
    may_retry: bool,
    progress: Option<Progress>,
    by: Option<Who>,
    times: Vec<(&'static str, When)>,
    attempt: String,
    error: Option<Stopped>,
    counts: Vec<(&'static str, Number<i64>)>,
    untouched: Vec<String>,
    reasons: Vec<Reason>,
    /// Of a sync of all members that is no preview, and of an undo.
    made: Option<Made>,
    undo: Undo,
    attempts: Vec<(AttemptError, When)>,
    /// Where a preview lists its changes.
    preview: Option<String>,
    /// Where another run is begun.
    sync_url: String,
}

/// Why a job ended without success.
struct Stopped {
    message: String,
    code: String,
    /// The safety limit of a sync stopped it: nothing was changed.
    by_limit: bool,
}

impl Stopped {
    fn of(failure: Failure) -> Self {
        let by_limit = failure.error == TOO_MANY;
        Self { message: capital(&of_people(&failure.message)), code: failure.error, by_limit }
    }
}

/// Whether a run can be put back.
enum Undo {
    /// Not by this person, or not at all.
    No,
    Possible,
    /// By the job of this address.
    Done(String),
}

impl Undo {
    async fn of(visit: &GuildVisit, run: &Model) -> Result<Self, PageError> {
        let problem = undo::check(visit.read(), visit.guild.guild_id, run, visit.now()).await?;
        Ok(match problem {
            Some(Problem::Undone(by)) => Self::Done(visit.url(&format!("/jobs/{by}"))),
            None if visit.rights.may(Needs::Admin) => Self::Possible,
            _ => Self::No,
        })
    }
}

fn may_change(visit: &GuildVisit, job: &Model) -> bool {
    visit.rights.may(needs_of_job(&job.kind))
}

async fn find(visit: &GuildVisit) -> Result<Model, PageError> {
    let id: JobId = visit.param("job")?;
    listing::find(visit.read(), visit.guild.guild_id, id).await?.ok_or(PageError::NotFound)
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    let job = find(&visit).await?;
    show(&visit, &job, String::new()).await
}

async fn show(visit: &GuildVisit, job: &Model, problem: String) -> Result<Response, PageError> {
    let status = job.status(visit.now());
    let may_change = may_change(visit, job);
    let names = Actors::read(visit, job.actor_id.into_iter().collect()).await?;
    let title = facts::titles(visit, std::slice::from_ref(job)).await?.concat();
    let waits = job.state.is_open() && job.state != State::Running;
    let paused = if waits { paused::read(visit, &[job.class]).await? } else { Vec::new() };
    let code = if problem.is_empty() { StatusCode::OK } else { StatusCode::CONFLICT };
    let error = job.failure().map(Stopped::of);
    let stopped_by_limit = error.as_ref().is_some_and(|error| error.by_limit);
    let page = Page {
        shell: visit.shell(&title, Place::Jobs),
        url: visit.url(&format!("/jobs/{}", job.job_id)),
        id: job.job_id,
        state: Mark::of(status),
        stopping: job.state.is_open() && job.cancel_requested,
        problem,
        paused,
        may_cancel: may_change && job.is_cancellable() && !job.cancel_requested,
        may_retry: may_change && matches!(status, Status::Failed | Status::Dead),
        progress: Progress::of(job, visit.now()).filter(|_| !stopped_by_limit),
        by: names.who(visit, job.actor_id.unwrap_or_default()),
        times: times(visit, job),
        attempt: format!("{} of {}", job.attempt, job.max_attempts),
        error,
        counts: facts::counts(job),
        untouched: facts::untouched(job),
        made: made(visit, job).await?,
        undo: Undo::of(visit, job).await?,
        reasons: facts::reasons(visit, job.job_id).await?,
        attempts: job
            .history()
            .into_iter()
            .rev()
            .map(|error| (error.clone(), visit.when(error.at)))
            .collect(),
        sync_url: visit.url("/sync"),
        preview: is_preview(job).then(|| visit.url(&format!("/sync?preview={}", job.job_id))),
    };
    Ok(Response::page(&page)?.status(code))
}

async fn made(visit: &GuildVisit, job: &Model) -> Result<Option<Made>, PageError> {
    let changes_members = [SyncAll::KIND, UndoSync::KIND].contains(&job.kind.as_str());
    if !changes_members || is_preview(job) || job.started_at.is_none() {
        return Ok(None);
    }
    let made = Made::read(visit, job).await?;
    Ok((!made.changes.is_empty()).then_some(made))
}

fn times(visit: &GuildVisit, job: &Model) -> Vec<(&'static str, When)> {
    let due = (job.state == State::Queued && job.run_at > visit.now()).then_some(job.run_at);
    let times = [
        ("Created", Some(job.created_at)),
        ("Next attempt", due),
        ("Started", job.started_at),
        ("Finished", job.finished_at),
    ];
    times.into_iter().filter_map(|(name, at)| Some((name, visit.when(at?)))).collect()
}

pub(crate) async fn cancel(visit: GuildVisit) -> Result<Response, PageError> {
    change(&visit, Method::DELETE, "", "The job stops at its next step. Its changes so far stay.").await
}

pub(crate) async fn retry(visit: GuildVisit) -> Result<Response, PageError> {
    change(&visit, Method::POST, "/retry", "The job runs again.").await
}

/// Leads to the job that undoes it.
pub(crate) async fn undo(visit: GuildVisit) -> Result<Response, PageError> {
    let job = find(&visit).await?;
    let answer = visit.api(Method::POST, &format!("/jobs/{}/undo", job.job_id), Map::new()).await;
    if !answer.status.is_success() {
        return show(&visit, &job, answer.message()).await;
    }
    let undo = answer.body["data"]["id"].as_str().unwrap_or_default();
    let flash = Flash::new("The undo has started. Automatic syncs wait until you let them go on.");
    Ok(Response::see(visit.url(&format!("/jobs/{undo}"))).flash(flash))
}

async fn change(visit: &GuildVisit, method: Method, verb: &str, text: &str) -> Result<Response, PageError> {
    let job = find(visit).await?;
    if !may_change(visit, &job) {
        return Err(PageError::NotFound);
    }
    let answer = visit.api(method, &format!("/jobs/{}{verb}", job.job_id), Map::new()).await;
    if !answer.status.is_success() {
        return show(visit, &job, answer.message()).await;
    }
    Ok(Response::see(visit.url(&format!("/jobs/{}", job.job_id))).flash(Flash::new(text)))
}
