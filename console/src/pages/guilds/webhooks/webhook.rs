//! /console/guilds/:guild/webhooks/:webhook: one webhook and its deliveries.

use askama::Template;
use entities::job::{Model as Job, Status, deliveries};
use entities::webhook::State;
use entities::{JobId, Page as Part};
use http::Method;
use jobs::webhooks::TEST_EVENT;

use super::events::{self, Choice};
use super::{FIELDS, Row, find};
use crate::html::form::Form;
use crate::html::format::When;
use crate::html::shell::{Place, Shell};
use crate::pages::guilds::jobs::names::Mark;
use crate::response::{Flash, PageError, Response};
use crate::visit::GuildVisit;

/// Deliveries of one page.
const SHOWN: usize = 50;

#[derive(Template)]
#[template(path = "guilds/webhook.html")]
struct Page {
    shell: Shell,
    url: String,
    form: Form,
    choices: Vec<Choice>,
    hook: Row,
    on: bool,
    gone: bool,
    /// The old secret signs too until then.
    old_secret_until: Option<When>,
    rows: Vec<Delivery>,
    more: Option<String>,
}

struct Delivery {
    id: JobId,
    event: String,
    state: Mark,
    /// What the receiver answered last, or why there is no answer; empty: nothing was sent yet.
    answer: String,
    attempts: i32,
    created: When,
    /// When it is tried again.
    next: Option<When>,
    /// A test is sent by its own button.
    is_replayable: bool,
}

impl Delivery {
    fn new(visit: &GuildVisit, job: &Job) -> Self {
        let status = job.status(visit.now());
        let taken = job.result.as_ref().and_then(|result| result["status"].as_i64());
        let failed = || job.failure().map(|failure| failure.message);
        let event = job.args["event"].as_str().unwrap_or_default().to_owned();
        Self {
            id: job.job_id,
            state: Mark::of(status),
            answer: taken.map(|status| format!("answered {status}")).or_else(failed).unwrap_or_default(),
            attempts: job.attempt,
            created: visit.when(job.created_at),
            next: (status == Status::Retrying).then(|| visit.when(job.run_at)),
            is_replayable: event != TEST_EVENT && !job.state.is_open(),
            event,
        }
    }
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    let form = Form::new(events::fields(&find(&visit).await?));
    show(&visit, form).await
}

pub(super) async fn show(visit: &GuildVisit, form: Form) -> Result<Response, PageError> {
    let hook = find(visit).await?;
    let (guild, id) = (visit.guild.guild_id, hook.webhook_id);
    let part = Part { cursor: visit.query.read::<JobId>("before"), limit: SHOWN as u64 + 1 };
    let mut jobs = deliveries::list(visit.read(), guild, id, part).await?;
    let has_more = jobs.len() > SHOWN;
    jobs.truncate(SHOWN);
    let last = jobs.last().filter(|_| has_more).map(|job| job.job_id.to_string());
    let until = hook.old_secret_until.filter(|until| visit.now() < *until);
    let page = Page {
        shell: visit.shell(&format!("Webhook {id}"), Place::Webhooks),
        url: visit.url(&format!("/webhooks/{id}")),
        choices: events::choices(&form),
        on: hook.state == State::On,
        gone: hook.state == State::Gone,
        old_secret_until: until.map(|until| visit.when(until)),
        rows: jobs.iter().map(|job| Delivery::new(visit, job)).collect(),
        more: last.map(|last| visit.query.with("before", &last)),
        hook: Row::new(visit, hook),
        form,
    };
    Ok(Response::page(&page)?.status(page.form.status()))
}

pub(crate) async fn update(visit: GuildVisit) -> Result<Response, PageError> {
    let id = find(&visit).await?.webhook_id;
    let path = format!("/guilds/{{g}}/webhooks/{id}");
    let body = match events::body(&visit.form) {
        Ok(body) => body,
        Err(form) => return show(&visit, form).await,
    };
    let answer = visit.api(Method::PATCH, &path, body).await;
    if !answer.status.is_success() {
        return show(&visit, Form::refused(&visit.form, &answer)).await;
    }
    let flash = Flash::new(format!("Webhook {id} saved."));
    Ok(Response::see(visit.url(&format!("/webhooks/{id}"))).flash(flash))
}
