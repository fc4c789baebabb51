//! /apply/:guild/:panel: the questions of a panel as a form, and beside it what the member has sent for it before.

use std::sync::Arc;

use askama::Template;
use entities::application_panel::{self, Model as Panel};
use entities::application_submission::{self, Filter, Model as Submission, State};
use entities::guild as guilds;
use http::{Method, StatusCode};
use people::{ApiAnswer, Rights};
use platforms::PictureOf;
use serde_json::{Map, Value, json};

use super::admitted;
use super::answers::{self, Asked, Input};
use super::sent::Sent;
use crate::fields::Fields;
use crate::html::form::Form;
use crate::html::list::{cut, page};
use crate::html::shell::Shell;
use crate::pages::linking::picture::Picture;
use crate::response::{Flash, PageError, Response};
use crate::visit::Visit;

#[derive(Template)]
#[template(path = "applying/panel.html")]
struct Page {
    shell: Shell,
    url: String,
    /// What people can apply for in the guild.
    all: String,
    guild: String,
    icon: Picture,
    form: Form,
    /// What is wrong beside the questions; empty: nothing.
    problem: String,
    step: Step,
    asked: Vec<Asked>,
    sent: Vec<Sent>,
    more: Option<String>,
}

/// What the member can do now.
enum Step {
    Apply,
    /// Staff decide first.
    Wait,
    Closed,
    Removed,
}

/// The panel that the address names, for somebody who may see it.
struct Found {
    guild: guilds::Model,
    rights: Arc<Rights>,
    panel: Panel,
    /// The member's own, newest first.
    sent: Vec<Submission>,
    more: Option<String>,
    open: Option<Submission>,
}

impl Found {
    async fn read(visit: &Visit) -> Result<Self, PageError> {
        let (guild, rights) = admitted(visit).await?;
        let (conn, id, user) = (visit.read(), guild.guild_id, visit.session.row.user_id);
        let panel = application_panel::find(conn, id, visit.param("panel")?).await?;
        let panel = panel.ok_or(PageError::NotFound)?;
        let filter = Filter { panel: Some(panel.panel_id), applicant: Some(user), state: None };
        let mut sent = application_submission::list(conn, id, filter, page(visit)).await?;
        let more = cut(visit, &mut sent, |row| row.submission_id);
        // Whoever applied for it sees what became of that.
        if panel.removed_at.is_some() && sent.is_empty() {
            return Err(PageError::NotFound);
        }
        let open = match application_submission::open_of(conn, id, panel.panel_id, user).await? {
            Some(open) => application_submission::find(conn, id, open).await?,
            None => None,
        };
        Ok(Self { guild, rights, panel, sent, more, open: open.filter(|row| row.state == State::Open) })
    }

    fn url(&self) -> String {
        format!("/apply/{}/{}", self.guild.guild_id, self.panel.panel_id)
    }

    fn step(&self) -> Step {
        match &self.open {
            Some(_) => Step::Wait,
            None if self.panel.removed_at.is_some() => Step::Removed,
            None if !self.panel.is_open => Step::Closed,
            None => Step::Apply,
        }
    }

    fn shown(self, visit: &Visit, form: Form) -> Result<Response, PageError> {
        // What was typed stays in sight, whatever happened meanwhile.
        let step = if form.is_refused() { Step::Apply } else { self.step() };
        let asked = match step {
            Step::Apply => Asked::all(&self.panel.questions),
            _ => Vec::new(),
        };
        let names: Vec<_> = asked.iter().map(|one| one.name.as_str()).collect();
        let (url, id) = (self.url(), self.guild.guild_id);
        let page = Page {
            shell: visit.shell(&format!("Apply for {}", self.panel.name)),
            all: format!("/apply/{id}"),
            icon: Picture::new(id, PictureOf::Guild(id), &self.guild.name),
            problem: form.problem_beside(&names).to_owned(),
            sent: self.sent.into_iter().map(|row| Sent::of(visit, row, Some(&self.panel))).collect(),
            guild: self.guild.name,
            more: self.more,
            url,
            form,
            step,
            asked,
        };
        Ok(Response::page(&page)?.status(page.form.status()))
    }
}

pub(crate) async fn get(visit: Visit) -> Result<Response, PageError> {
    Found::read(&visit).await?.shown(&visit, Form::default())
}

/// Sends the application, by the call that the form of the chat platform makes too.
pub(crate) async fn post(visit: Visit) -> Result<Response, PageError> {
    let found = Found::read(&visit).await?;
    let typed = answers::typed(&found.panel.questions, &visit.form);
    let answers = answers::body(&found.panel.questions, &typed);
    let answer = send(&visit, &found, &answers).await;
    if answer.status.is_success() {
        return Ok(done(&found, &answer.body["data"]["submission_id"]));
    }
    if answer.status == StatusCode::NOT_FOUND {
        return Err(PageError::NotFound);
    }
    // What a form sent at the same moment has done is in no earlier read.
    let found = Found::read(&visit).await?;
    if let Some(open) = found.open.as_ref().filter(|open| is_same(&found.panel, open, answers)) {
        return Ok(done(&found, &json!(open.submission_id)));
    }
    let form = refused(&found, &typed, &answer);
    found.shown(&visit, form)
}

async fn send(visit: &Visit, found: &Found, answers: &Map<String, Value>) -> ApiAnswer {
    let sent =
        json!({ "panel_id": found.panel.panel_id, "chat_id": visit.session.row.user_id, "answers": answers });
    let body = sent.as_object().cloned().unwrap_or_default();
    let path = "/guilds/{g}/application-submissions";
    visit.api_in(found.guild.guild_id, found.rights.clone(), Method::POST, path, body).await
}

fn done(found: &Found, number: &Value) -> Response {
    let text =
        format!("Your application is sent: number {number}. The bot tells you when staff have decided.");
    Response::see(found.url()).flash(Flash::new(text))
}

/// The form was sent twice.
fn is_same(panel: &Panel, open: &Submission, answers: Map<String, Value>) -> bool {
    panel.questions.check(answers).is_ok_and(|kept| Value::Object(kept) == open.answers)
}

fn refused(found: &Found, typed: &Fields, answer: &ApiAnswer) -> Form {
    match &found.open {
        Some(open) => {
            let text = format!(
                "You have applied for this already: number {}. Staff decide about it first.",
                open.submission_id
            );
            Form::wrong(typed, None, &text)
        }
        None => answers::refused(&found.panel.questions, typed, answer),
    }
}
