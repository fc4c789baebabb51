//! /console/guilds/:guild/webhooks: where the audit log is sent as it grows. A secret is only on the page that its form
//! answers with.

pub(crate) mod act;
mod events;
pub(crate) mod webhook;

use askama::Template;
use entities::WebhookId;
use entities::webhook::{self as row, Model, State};
use http::Method;
use people::ApiAnswer;

use crate::html::form::Form;
use crate::html::format::When;
use crate::html::shell::{Place, Shell};
use crate::response::{PageError, Response};
use crate::visit::GuildVisit;
use events::Choice;

/// What the forms show; the API's errors name them.
const FIELDS: [&str; 3] = ["url", "events", events::SINGLE];

#[derive(Template)]
#[template(path = "guilds/webhooks.html")]
struct Page {
    shell: Shell,
    url: String,
    form: Form,
    choices: Vec<Choice>,
    rows: Vec<Row>,
}

struct Row {
    id: WebhookId,
    url: String,
    events: String,
    mark: (&'static str, &'static str),
    paused_until: Option<When>,
}

/// The secret of a webhook that was added, or a new one.
#[derive(Template)]
#[template(path = "guilds/webhook_secret.html")]
struct Secret {
    shell: Shell,
    url: String,
    secret: String,
    /// It takes the place of another one.
    replaced: bool,
}

impl Row {
    fn new(visit: &GuildVisit, hook: Model) -> Self {
        Self {
            id: hook.webhook_id,
            events: events::words(&hook),
            mark: mark(&hook),
            paused_until: hook.pause(visit.now()).map(|until| visit.when(until)),
            url: hook.url,
        }
    }
}

fn mark(hook: &Model) -> (&'static str, &'static str) {
    match hook.state {
        State::On if hook.failures > 0 => ("warning", "receiver fails"),
        State::On => ("good", "on"),
        State::Off => ("quiet", "off"),
        State::Gone => ("bad", "receiver is gone"),
    }
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    show(&visit, Form::new(visit.query.clone())).await
}

async fn show(visit: &GuildVisit, form: Form) -> Result<Response, PageError> {
    let hooks = row::list(visit.read(), visit.guild.guild_id).await?;
    let page = Page {
        shell: visit.shell("Webhooks", Place::Webhooks),
        url: visit.url("/webhooks"),
        choices: events::choices(&form),
        rows: hooks.into_iter().map(|hook| Row::new(visit, hook)).collect(),
        form,
    };
    Ok(Response::page(&page)?.status(page.form.status()))
}

pub(crate) async fn add(visit: GuildVisit) -> Result<Response, PageError> {
    let body = match events::body(&visit.form) {
        Ok(body) => body,
        Err(form) => return show(&visit, form).await,
    };
    let answer = visit.api(Method::POST, "/guilds/{g}/webhooks", body).await;
    if !answer.status.is_success() {
        return show(&visit, Form::refused(&visit.form, &answer)).await;
    }
    secret(&visit, &answer, false)
}

/// The page with a secret.
fn secret(visit: &GuildVisit, answer: &ApiAnswer, replaced: bool) -> Result<Response, PageError> {
    let data = &answer.body["data"];
    let page = Secret {
        shell: visit.shell("Copy the secret now", Place::Webhooks),
        url: visit.url(&format!("/webhooks/{}", data["id"])),
        secret: data["secret"].as_str().unwrap_or_default().to_owned(),
        replaced,
    };
    Response::page(&page)
}

/// The webhook of the address, if it is of this guild.
async fn find(visit: &GuildVisit) -> Result<Model, PageError> {
    row::find(visit.read(), visit.guild.guild_id, visit.param("webhook")?).await?.ok_or(PageError::NotFound)
}
