//! /console/guilds/:guild/jobs: the guild's jobs, newest first.

mod facts;
pub(crate) mod job;
pub(in crate::pages) mod names;
mod progress;

use askama::Template;
use chrono::TimeDelta;
use entities::job::listing::{self, Filter};
use entities::job::{Model, Status};
use entities::{JobId, Page as Part};
use jobs::follow::WAITS;
use people::labels::of_people;
use people::values::JOB_KINDS;

use crate::html::form::Form;
use crate::html::format::{Length, When, shortened};
use crate::html::shell::{Place, Shell};
use crate::pages::guilds::actors::Actors;
use crate::pages::guilds::paused::{self, Paused};
use crate::pages::guilds::people::Who;
use crate::response::{PageError, Response};
use crate::visit::GuildVisit;
use names::Mark;

/// Jobs of one page.
const SHOWN: usize = 50;
/// Characters of an error's message in a list.
const MESSAGE_MAX: usize = 120;

#[derive(Template)]
#[template(path = "guilds/jobs.html")]
struct Page {
    shell: Shell,
    url: String,
    form: Form,
    states: Vec<(&'static str, &'static str)>,
    kinds: &'static [(&'static str, &'static str)],
    filtered: bool,
    paused: Vec<Paused>,
    rows: Vec<Row>,
    /// The query of the next page.
    more: Option<String>,
}

impl Page {
    fn jobs_url(&self) -> &str {
        &self.url
    }
}

/// A job in a list.
pub(super) struct Row {
    pub(super) id: JobId,
    pub(super) title: String,
    pub(super) state: Mark,
    pub(super) progress: String,
    pub(super) by: Option<Who>,
    pub(super) created: When,
    pub(super) took: String,
    pub(super) error: String,
}

impl Row {
    pub(super) async fn all(visit: &GuildVisit, jobs: &[Model]) -> Result<Vec<Self>, PageError> {
        let actors = jobs.iter().filter_map(|job| job.actor_id).collect();
        let names = Actors::read(visit, actors).await?;
        let titles = facts::titles(visit, jobs).await?;
        Ok(jobs.iter().zip(titles).map(|(job, title)| Self::new(visit, job, title, &names)).collect())
    }

    fn new(visit: &GuildVisit, job: &Model, title: String, names: &Actors) -> Self {
        let failure = job.failure().filter(|failure| failure.error != WAITS);
        let took = job.started_at.zip(job.finished_at).map(|(from, until)| took(until - from));
        Self {
            id: job.job_id,
            title,
            state: Mark::of_job(job, visit.now()),
            progress: progress::short(job),
            by: names.who(visit, job.actor_id.unwrap_or_default()),
            created: visit.when(job.created_at),
            took: took.unwrap_or_default(),
            error: failure
                .map(|failure| shortened(&of_people(&failure.message), MESSAGE_MAX))
                .unwrap_or_default(),
        }
    }
}

fn took(length: TimeDelta) -> String {
    if length < TimeDelta::seconds(1) { "under 1 s".to_owned() } else { Length(length).to_string() }
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    let query = &visit.query;
    let kind = JOB_KINDS.iter().map(|(name, _)| *name).find(|name| *name == query.text("kind"));
    let status = query.read::<Status>("state");
    let filter = Filter { guild: Some(visit.guild.guild_id), status, kind, class: None };
    let part = Part { cursor: query.read::<JobId>("before"), limit: SHOWN as u64 + 1 };
    let mut jobs = listing::list(visit.read(), filter, part, visit.now()).await?;
    let has_more = jobs.len() > SHOWN;
    jobs.truncate(SHOWN);
    let last = jobs.last().filter(|_| has_more).map(|job| job.job_id.to_string());
    let page = Page {
        shell: visit.shell("Jobs", Place::Jobs),
        url: visit.url("/jobs"),
        states: Status::ALL.iter().map(|status| (status.name(), Mark::of(*status).word)).collect(),
        kinds: &JOB_KINDS,
        filtered: status.is_some() || kind.is_some() || query.has("before"),
        paused: paused::read(&visit, &paused::CLASSES).await?,
        rows: Row::all(&visit, &jobs).await?,
        more: last.map(|last| query.with("before", &last)),
        form: Form::new(query.clone()),
    };
    Response::page(&page)
}
