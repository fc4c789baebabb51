//! /console/instance/schedules: periodic tasks; pause, resume, run now.

use askama::Template;
use chrono::TimeDelta;
use entities::job::{Model, listing};
use entities::{JobId, schedule};
use jobs::schedules::{RunNow, Schedule};
use people::labels::capital;
use runtime::UnitOfWork;

use super::{cron, url};
use crate::html::format::{Count, When};
use crate::html::shell::Shell;
use crate::html::shell::instance::InstancePlace;
use crate::response::{Flash, PageError, Response, Undo};
use crate::visit::Visit;

#[derive(Template)]
#[template(path = "instance/schedules.html")]
struct Page {
    shell: Shell,
    rows: Vec<Row>,
}

struct Row {
    name: &'static str,
    title: String,
    /// In words, and as it is.
    often: String,
    cron: &'static str,
    about: &'static str,
    paused: bool,
    last: When,
    /// `None`: paused, or soon.
    next: Option<When>,
    job: Option<JobId>,
    state: String,
    detail: String,
    failed: bool,
}

pub(crate) async fn get(visit: Visit) -> Result<Response, PageError> {
    let conn = visit.read();
    let mut rows = Vec::new();
    for row in schedule::list(conn).await? {
        let Some(known) = Schedule::find(&row.name) else { continue };
        let job = match row.job_id {
            Some(job) => listing::find_any(conn, job).await?,
            None => None,
        };
        let soon = visit.now() + TimeDelta::minutes(1);
        let next = known.next_tick(visit.now()).filter(|next| !row.paused && *next > soon);
        let (state, detail) = job.as_ref().map(|job| outcome(&visit, job)).unwrap_or_default();
        rows.push(Row {
            name: known.name,
            title: title(known.name),
            often: cron::words(known.cron),
            cron: known.cron,
            about: known.about,
            paused: row.paused,
            last: visit.when(row.last_tick),
            next: next.map(|next| visit.when(next)),
            failed: job.as_ref().is_some_and(|job| job.failure().is_some()),
            state,
            detail,
            job: job.map(|job| job.job_id),
        });
    }
    let shell = Shell::of_instance("Schedules", &visit, InstancePlace::Schedules);
    Response::page(&Page { shell, rows })
}

/// A name as people read it.
pub(super) fn title(name: &str) -> String {
    match name {
        "loa" => "Leave".to_owned(),
        name => capital(&name.replace('_', " ")),
    }
}

/// The outcome of the run: the state, and the error or the count.
fn outcome(visit: &Visit, job: &Model) -> (String, String) {
    let state = job.status(visit.now()).name().to_owned();
    let rows = job.result.as_ref().and_then(|result| result["rows"].as_u64());
    let detail = match (job.failure(), rows) {
        (Some(failure), _) => failure.message,
        (None, Some(rows)) => Count(rows, "row").to_string(),
        (None, None) => String::new(),
    };
    (state, detail)
}

fn named(visit: &Visit) -> Result<&'static Schedule, PageError> {
    let name: String = visit.param("schedule")?;
    Schedule::find(&name).ok_or(PageError::NotFound)
}

pub(crate) async fn run(visit: Visit) -> Result<Response, PageError> {
    let schedule = named(&visit)?;
    let name = title(schedule.name);
    let mut work = UnitOfWork::begin(visit.context()).await?;
    let run = schedule.run_now(&mut work).await;
    let back = Response::see(url("/schedules"));
    match run.map_err(PageError::internal)? {
        RunNow::NotBegun => {
            let text = "No scheduler has run on this database yet: start one, or guildhall serve.";
            return Ok(back.flash(Flash::new(text)));
        }
        RunNow::Enqueued(enqueued) if enqueued.joined => {
            let text = format!("The last run of {name} is not finished: nothing was started.");
            return Ok(back.flash(Flash::new(text)));
        }
        RunNow::Enqueued(_) => {}
    }
    visit.commit(work).await?;
    visit.log("schedules.run", schedule.name);
    Ok(back.flash(Flash::new(format!("{name} is queued. A scheduler starts it within seconds."))))
}

pub(crate) async fn pause(visit: Visit) -> Result<Response, PageError> {
    set_paused(visit, true).await
}

pub(crate) async fn resume(visit: Visit) -> Result<Response, PageError> {
    set_paused(visit, false).await
}

async fn set_paused(visit: Visit, paused: bool) -> Result<Response, PageError> {
    let name = named(&visit)?.name;
    if !schedule::set_paused(visit.context().database.write(), name, paused).await? {
        return Err(PageError::NotFound);
    }
    let (action, undo, text) = if paused {
        ("schedules.pause", "resume", "no longer starts automatically.")
    } else {
        ("schedules.resume", "pause", "starts automatically again. Missed ticks are not made up.")
    };
    visit.log(action, name);
    let undo = Undo::new(url(&format!("/schedules/{name}/{undo}")), &[]);
    Ok(Response::see(url("/schedules")).flash(Flash::new(format!("{} {text}", title(name))).with_undo(undo)))
}
