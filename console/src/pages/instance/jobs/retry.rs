//! /console/instance/jobs/retry: asks before several failed or dead jobs are retried, by naming how many, and does it.

use askama::Template;
use entities::JobId;
use entities::job::{Model, Status, listing, retry as rows};
use jobs::{RetriedAll, Retry};

use super::super::{guild_names, url};
use super::filter::{self, JobFilter};
use super::row::Row;
use crate::fields::Fields;
use crate::html::format::{Count, Number};
use crate::html::shell::Shell;
use crate::html::shell::instance::InstancePlace;
use crate::response::{Flash, PageError, Response};
use crate::visit::Visit;

/// Jobs retried by one click, so that it answers within seconds.
const AT_ONCE: u64 = 500;
/// Selected jobs: those of one page.
const SELECTED: usize = 50;

#[derive(Template)]
#[template(path = "instance/jobs_retry.html")]
struct Page {
    shell: Shell,
    /// The fields that the form sends again.
    fields: Vec<(&'static str, String)>,
    words: String,
    total: Count<u64>,
    /// More match than one click retries.
    at_once: Option<Number<u64>>,
    /// The selected jobs; empty: all that match.
    selected: Vec<Row>,
    back: String,
}

/// The selected jobs that can be retried.
async fn selected(visit: &Visit, fields: &Fields) -> Result<Vec<Model>, PageError> {
    let mut jobs = Vec::new();
    for id in fields.all("job").into_iter().take(SELECTED).filter_map(|id| id.parse::<JobId>().ok()) {
        let job = listing::find_any(visit.read(), id).await?;
        let status = |job: &Model| job.status(visit.now());
        jobs.extend(job.filter(|job| matches!(status(job), Status::Failed | Status::Dead)));
    }
    Ok(jobs)
}

/// The list that the person came from.
fn list(fields: &Fields) -> String {
    let kept: Vec<_> = filter::FIELDS.map(|name| (name, fields.text(name))).into_iter().collect();
    url(&format!("/jobs?{}", Fields::of(&kept).with("", "")))
}

fn choose_first() -> Response {
    let text = "Failed and dead jobs can be retried together: show one of these states first.";
    Response::see(url("/jobs")).flash(Flash::new(text))
}

pub(crate) async fn ask(visit: Visit) -> Result<Response, PageError> {
    let query = &visit.query;
    let back = list(query);
    let filter = JobFilter::of(query).unwrap_or_default();
    let Some(which) = filter.to_retry() else { return Ok(choose_first()) };
    let mut fields: Vec<_> = filter::FIELDS.map(|name| (name, query.text(name).to_owned())).into();
    let (mut shown, mut total, mut words) = (Vec::new(), 0, "selected jobs".to_owned());
    if query.has("selected") {
        let jobs = selected(&visit, query).await?;
        if jobs.is_empty() {
            return Ok(Response::see(back).flash(Flash::new("No job was selected.")));
        }
        let names = guild_names(&visit, jobs.iter().filter_map(|job| job.guild_id)).await?;
        fields.extend(jobs.iter().map(|job| ("job", job.job_id.to_string())));
        fields.push(("selected", "yes".to_owned()));
        total += jobs.len() as u64;
        shown = jobs.iter().map(|job| Row::new(job, &names, visit.now())).collect();
    } else {
        total += rows::count_failed(visit.read(), which).await?;
        words = filter.words();
    }
    Response::page(&Page {
        shell: Shell::of_instance("Retry jobs", &visit, InstancePlace::Jobs),
        fields,
        words,
        total: Count(total, "job"),
        at_once: (total > AT_ONCE).then_some(Number(AT_ONCE)),
        selected: shown,
        back,
    })
}

pub(crate) async fn post(visit: Visit) -> Result<Response, PageError> {
    let filter = JobFilter::of(&visit.form).unwrap_or_default();
    let Some(which) = filter.to_retry() else { return Ok(choose_first()) };
    let (operator, database, now) = (visit.operator(), &visit.context().database, visit.now());
    let outcome = if visit.form.has("selected") {
        let mut outcome = RetriedAll::default();
        for job in selected(&visit, &visit.form).await? {
            match operator.retry(database, &job, now).await? {
                Retry::Queued(row) => {
                    visit.queue().publish([row.message()]);
                    outcome.queued += 1;
                }
                _ => outcome.refused += 1,
            }
        }
        outcome
    } else {
        operator.retry_all(database, which, AT_ONCE, now).await?
    };
    visit.log("jobs.retry", &format!("{} {}", outcome.queued, filter.words()));
    Ok(Response::see(list(&visit.form)).flash(Flash::new(summary(&outcome))))
}

fn summary(outcome: &RetriedAll) -> String {
    let due = format!("{} due now.", plural(outcome.queued));
    match outcome.refused {
        0 => due,
        left => format!(
            "{due} {} left: an unfinished job does the same, or the server's quota is used up.",
            plural(left)
        ),
    }
}

fn plural(jobs: u64) -> String {
    format!("{} {}", Count(jobs, "job"), if jobs == 1 { "is" } else { "are" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outcome_is_said_in_numbers() {
        let outcome = RetriedAll { queued: 1_204, refused: 1 };
        assert_eq!(
            summary(&outcome),
            "1,204 jobs are due now. 1 job is left: an unfinished job does the same, or the server's quota is used up."
        );
    }
}
