//! /console/instance/schedules: periodic tasks; pause, resume, run now.

use askama::Template;
use chrono::TimeDelta;
use entities::job::{Model, listing};
use entities::{JobId, schedule};
use scheduler::{RunNow, SCHEDULES, Schedule};

use super::url;
use crate::answer::{Answer, PageError};
use crate::cookies::{Said, Undo};
use crate::shell::Shell;
use crate::shell::instance::InstancePlace;
use crate::visit::Visit;
use crate::words::{Count, When};

#[derive(Template)]
#[template(path = "instance/schedules.html")]
struct Page {
    shell: Shell,
    rows: Vec<Row>,
}

struct Row {
    name: &'static str,
    cron: &'static str,
    about: &'static str,
    paused: bool,
    last: When,
    /// `None`: paused, or soon.
    next: Option<When>,
    job: Option<JobId>,
    outcome: String,
    failed: bool,
}

pub(crate) async fn get(visit: Visit) -> Result<Answer, PageError> {
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
        rows.push(Row {
            name: known.name,
            cron: known.cron,
            about: known.about,
            paused: row.paused,
            last: visit.when(row.last_tick),
            next: next.map(|next| visit.when(next)),
            failed: job.as_ref().is_some_and(|job| job.failure().is_some()),
            outcome: job.as_ref().map(|job| outcome(&visit, job)).unwrap_or_default(),
            job: job.map(|job| job.job_id),
        });
    }
    let shell = Shell::of_instance("Schedules", &visit, InstancePlace::Schedules);
    Answer::page(&Page { shell, rows })
}

fn outcome(visit: &Visit, job: &Model) -> String {
    let state = job.status(visit.now()).name();
    match (job.failure(), job.result.as_ref().and_then(|result| result["rows"].as_u64())) {
        (Some(failure), _) => format!("{state}: {}", failure.message),
        (None, Some(rows)) => format!("{state}, {}", Count(rows, "row")),
        (None, None) => state.to_owned(),
    }
}

fn named(visit: &Visit) -> Result<&'static Schedule, PageError> {
    let name: String = visit.param("schedule")?;
    SCHEDULES.iter().find(|schedule| schedule.name == name).ok_or(PageError::NotFound)
}

pub(crate) async fn run(visit: Visit) -> Result<Answer, PageError> {
    let schedule = named(&visit)?;
    let transaction = visit.context().database.begin().await?;
    let run = scheduler::run_now(&transaction, schedule, visit.now()).await;
    let back = Answer::see(url("/schedules"));
    let enqueued = match run.map_err(PageError::internal)? {
        RunNow::NotBegun => {
            let text = "No scheduler has run on this database yet: start one, or guildhall serve.";
            return Ok(back.saying(Said::new(text)));
        }
        RunNow::Enqueued(enqueued) if enqueued.joined => {
            let text = format!("The last run of {} is not finished: nothing was started.", schedule.name);
            return Ok(back.saying(Said::new(text)));
        }
        RunNow::Enqueued(enqueued) => enqueued,
    };
    visit.commit(transaction, []).await?;
    visit.queue().publish(enqueued.message);
    visit.log("schedules.run", schedule.name);
    Ok(back.saying(Said::new(format!("{} is queued. A scheduler starts it within seconds.", schedule.name))))
}

pub(crate) async fn pause(visit: Visit) -> Result<Answer, PageError> {
    set_paused(visit, true).await
}

pub(crate) async fn resume(visit: Visit) -> Result<Answer, PageError> {
    set_paused(visit, false).await
}

async fn set_paused(visit: Visit, paused: bool) -> Result<Answer, PageError> {
    let name = named(&visit)?.name;
    if !schedule::set_paused(visit.context().database.write(), name, paused).await? {
        return Err(PageError::NotFound);
    }
    let (action, undo, text) = if paused {
        ("schedules.pause", "resume", "does not fire any more.")
    } else {
        ("schedules.resume", "pause", "fires again. Missed ticks are not made up.")
    };
    visit.log(action, name);
    let undo = Undo::new(url(&format!("/schedules/{name}/{undo}")), &[]);
    Ok(Answer::see(url("/schedules")).saying(Said::new(format!("{name} {text}")).with_undo(undo)))
}
