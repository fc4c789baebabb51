//! /console/guilds/:guild/sync: what a sync does here, its preview, and its history.

pub(super) mod changes;
mod follow;
mod out_of_step;
mod preview;
mod quota;
pub(crate) mod run;
pub(crate) mod set_follow;

use askama::Template;
use entities::bulk_sync::Kind;
use entities::job::listing::{self, Filter};
use entities::job::{Class, Model};
use entities::{Page as Part, binding, link};
use http::Method;
use people::ApiAnswer;
use serde_json::{Map, Value};

use super::jobs::Row;
use super::paused::{self, Paused};
use crate::fields::Fields;
use crate::html::form::Form;
use crate::html::format::{Count, Number};
use crate::html::shell::{Place, Shell};
use crate::response::{PageError, Response};
use crate::visit::GuildVisit;
use follow::Follow;
use out_of_step::OutOfStep;
use preview::Preview;
use quota::Window;

/// Runs among which the newest preview is looked for.
const RUNS_READ: u64 = 20;
/// Runs that the history shows.
const RUNS_SHOWN: usize = 10;
const KIND: &str = "sync_all";
/// The fields of the forms; the API's errors name them.
const FIELDS: &[&str] = &["max_removals", "every_minutes", "brake_percent"];

#[derive(Template)]
#[template(path = "guilds/sync.html")]
struct Page {
    shell: Shell,
    url: String,
    form: Form,
    paused: Vec<Paused>,
    bindings: Count<u64>,
    members: Count<u64>,
    template: String,
    run: Window,
    dry_run: Window,
    follow: Follow,
    out: OutOfStep,
    preview: Option<Preview>,
    rows: Vec<Row>,
    jobs_url: String,
}

impl Page {
    fn jobs_url(&self) -> &str {
        &self.jobs_url
    }
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    let form = Form::new(visit.query.clone());
    show(&visit, form).await
}

async fn show(visit: &GuildVisit, form: Form) -> Result<Response, PageError> {
    let (conn, guild) = (visit.read(), visit.guild.guild_id);
    let (jobs, members) = (history(visit).await?, link::count(conn, guild).await?);
    let page = Page {
        shell: visit.shell("Sync", Place::Sync),
        url: visit.url("/sync"),
        paused: paused::read(visit, &[Class::Bulk]).await?,
        bindings: Count(binding::list(conn, guild).await?.len() as u64, "binding"),
        members: Count(members, "linked member"),
        template: visit.guild.nickname_template.clone(),
        run: Window::read(visit, Kind::Run).await?,
        dry_run: Window::read(visit, Kind::DryRun).await?,
        follow: Follow::read(visit, &form, members).await?,
        out: OutOfStep::read(visit).await?,
        preview: Preview::find(visit, &jobs).await?,
        rows: Row::all(visit, &jobs[..jobs.len().min(RUNS_SHOWN)]).await?,
        jobs_url: visit.url("/jobs"),
        form,
    };
    Ok(Response::page(&page)?.status(page.form.status()))
}

async fn history(visit: &GuildVisit) -> Result<Vec<Model>, PageError> {
    let filter = Filter { guild: Some(visit.guild.guild_id), kind: Some(KIND), ..Filter::default() };
    Ok(listing::list(visit.read(), filter, Part::first(RUNS_READ), visit.now()).await?)
}

/// Starts a preview: its job lists the changes, and changes nothing.
pub(crate) async fn preview(visit: GuildVisit) -> Result<Response, PageError> {
    let answer = request(&visit, true).await;
    if !answer.status.is_success() {
        return show(&visit, Form::refused(&visit.form, &answer)).await;
    }
    let job = answer.body["data"]["job_id"].as_str().unwrap_or_default();
    Ok(Response::see(visit.url(&format!("/sync?preview={job}"))))
}

/// Asks the API for a sync with the safety limit of the form.
async fn request(visit: &GuildVisit, dry_run: bool) -> ApiAnswer {
    let mut body = Map::new();
    body.insert("dry_run".to_owned(), dry_run.into());
    if let Some(limit) = safety_limit(&visit.form) {
        body.insert("max_removals".to_owned(), limit);
    }
    visit.api(Method::POST, "/interactions/sync/all", body).await
}

/// As a number where it is one; the API refuses the rest.
fn safety_limit(form: &Fields) -> Option<Value> {
    let typed = form.text("max_removals");
    (!typed.is_empty()).then(|| typed.parse::<i64>().map_or_else(|_| typed.into(), Value::from))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_safety_limit_is_a_number_and_what_is_none_is_left_for_the_api_to_refuse() {
        let typed = |text| safety_limit(&Fields::of(&[("max_removals", text)]));
        assert_eq!([typed("50"), typed("fifty"), typed(" ")], [Some(json!(50)), Some(json!("fifty")), None]);
    }
}
