//! /console/guilds/:guild/applications/:submission: the application of one person, and its ticket.

use askama::Template;
use entities::application_panel::{self, Questions};
use entities::application_submission::{self, State};
use entities::{CommentId, Subject, SubmissionId, application_comment, ticket};
use http::Method;
use serde_json::{Map, Value};

use super::{Mark, Ticket, mark};
use crate::html::form::Form;
use crate::html::format::When;
use crate::html::list::{cut, page};
use crate::html::shell::{Place, Shell};
use crate::pages::guilds::people::{People, Who};
use crate::response::{Flash, PageError, Response};
use crate::visit::GuildVisit;

/// Shows the pages of jobs.
const JOBS_PERMISSION: &str = "sync.write";
const FIELDS: [&str; 2] = ["reason", "text"];

#[derive(Template)]
#[template(path = "guilds/applications/submission.html")]
struct Page {
    shell: Shell,
    form: Form,
    /// The last word of the form's address that was refused; empty: none was.
    refused: &'static str,
    url: String,
    panel: String,
    who: Who,
    sent: When,
    answers: Vec<(String, String)>,
    state: Mark,
    /// By whom, when, and what the applicant was told.
    decided: Option<(Option<Who>, When, String)>,
    /// The viewer may decide it.
    decides: bool,
    is_open: bool,
    comments: Vec<Comment>,
    more: Option<String>,
    ticket: Ticket,
    /// The job that creates the channel.
    job: Option<String>,
}

struct Comment {
    id: CommentId,
    author: Who,
    text: String,
    written: When,
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    show(&visit, Form::default(), "").await
}

async fn find(visit: &GuildVisit) -> Result<application_submission::Model, PageError> {
    let id: SubmissionId = visit.param("submission")?;
    let found = application_submission::find(visit.read(), visit.guild.guild_id, id).await?;
    found.ok_or(PageError::NotFound)
}

async fn show(visit: &GuildVisit, form: Form, refused: &'static str) -> Result<Response, PageError> {
    let (conn, guild) = (visit.read(), visit.guild.guild_id);
    let row = find(visit).await?;
    let id = row.submission_id;
    let panel = application_panel::find(conn, guild, row.panel_id).await?;
    let ticket = ticket::find_by_submission(conn, guild, id).await?;
    let mut comments = application_comment::list(conn, guild, id, page(visit)).await?;
    let more = cut(visit, &mut comments, |row| row.comment_id);
    let authors = comments.iter().map(|row| row.author_id).chain(row.decided_by);
    let subjects: Vec<_> = authors.chain([row.chat_id]).map(Subject::Chat).collect();
    let people = People::read(visit, subjects).await?;
    let comment = |row: application_comment::Model| Comment {
        id: row.comment_id,
        author: people.who(visit, Subject::Chat(row.author_id)),
        written: visit.when(row.created_at),
        text: row.body,
    };
    let by = row.decided_by.map(|by| people.who(visit, Subject::Chat(by)));
    let job = ticket.as_ref().and_then(|row| row.job_id).filter(|_| visit.may(JOBS_PERMISSION));
    let questions = panel.as_ref().map(|panel| &panel.questions);
    let page = Page {
        shell: visit.shell(&format!("Application {id}"), Place::Applications),
        url: visit.url(&format!("/applications/{id}")),
        answers: answers(questions, &row.answers),
        panel: panel.map_or_else(|| row.panel_id.to_string(), |panel| panel.name),
        who: people.who(visit, Subject::Chat(row.chat_id)),
        sent: visit.when(row.created_at),
        state: mark(row.state),
        decided: row.decided_at.map(|at| (by, visit.when(at), row.decision_reason.unwrap_or_default())),
        decides: visit.rights.admin || row.chat_id != visit.session.row.user_id,
        is_open: row.state == State::Open,
        comments: comments.into_iter().map(comment).collect(),
        more,
        job: job.map(|job| visit.url(&format!("/jobs/{job}"))),
        ticket: Ticket::of(visit, ticket.as_ref()),
        refused,
        form,
    };
    Ok(Response::page(&page)?.status(page.form.status()))
}

/// Question and answer: in the order of the panel, then what it does not ask (any more), as it was sent.
pub(crate) fn answers(questions: Option<&Questions>, sent: &Value) -> Vec<(String, String)> {
    let none = Map::new();
    let sent = sent.as_object().unwrap_or(&none);
    let said = |value: &Value| match value {
        Value::Bool(agreed) => if *agreed { "Yes" } else { "No" }.to_owned(),
        Value::String(text) => text.clone(),
        value => value.to_string(),
    };
    let asked: Vec<_> =
        questions.into_iter().flat_map(|questions| &questions.0).map(|one| &one.label).collect();
    let first = asked.iter().filter_map(|label| Some(((*label).clone(), said(sent.get(*label)?))));
    let others = sent.iter().filter(|(label, _)| !asked.contains(label));
    first.chain(others.map(|(label, value)| (label.clone(), said(value)))).collect()
}

/// A form of this page: the last word of its address is that of the call, too.
async fn send(
    visit: &GuildVisit,
    call: &'static str,
    field: &'static str,
    done: &str,
) -> Result<Response, PageError> {
    let id = find(visit).await?.submission_id;
    let path = format!("/guilds/{{g}}/application-submissions/{id}/{call}");
    let answer = visit.api(Method::POST, &path, visit.form.json(&[field])).await;
    if !answer.status.is_success() {
        return show(visit, Form::refused(&visit.form, &answer), call).await;
    }
    let own = visit.url(&format!("/applications/{id}"));
    Ok(Response::see(own).flash(Flash::new(done.to_owned())))
}

pub(crate) async fn accept(visit: GuildVisit) -> Result<Response, PageError> {
    send(&visit, "accept", "reason", "Application accepted. The applicant is told.").await
}

pub(crate) async fn refuse(visit: GuildVisit) -> Result<Response, PageError> {
    send(&visit, "refuse", "reason", "Application refused. The applicant is told why.").await
}

pub(crate) async fn comment(visit: GuildVisit) -> Result<Response, PageError> {
    send(&visit, "comments", "text", "Comment added.").await
}

pub(crate) async fn open_ticket(visit: GuildVisit) -> Result<Response, PageError> {
    let row = find(&visit).await?;
    let body = [("panel_id".to_owned(), row.panel_id.get().into())].into_iter().collect();
    let path = format!("/guilds/{{g}}/application-submissions/{}/create-ticket", row.submission_id);
    let answer = visit.api(Method::POST, &path, body).await;
    if !answer.status.is_success() {
        return show(&visit, Form::refused(&visit.form, &answer), "ticket").await;
    }
    let own = visit.url(&format!("/applications/{}", row.submission_id));
    let Some(job) = answer.body["data"]["job_id"].as_str() else {
        return Ok(Response::see(own).flash(Flash::new("Ticket opened.")));
    };
    let to = if visit.may(JOBS_PERMISSION) { visit.url(&format!("/jobs/{job}")) } else { own };
    Ok(Response::see(to).flash(Flash::new("The ticket is being opened. This page shows the progress.")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn answers_are_shown_as_they_were_sent() {
        let sent = json!({ "Why?": "I like <b>order</b>", "Age": 20 });
        let mut shown = answers(None, &sent);
        shown.sort();
        assert_eq!(
            shown,
            [("Age", "20"), ("Why?", "I like <b>order</b>")].map(|(q, a)| (q.to_owned(), a.to_owned()))
        );
        assert!(answers(None, &json!(null)).is_empty());
        let asked = json!([{ "label": "Why?", "kind": "text" }, { "label": "Rules", "kind": "agree" }]);
        let asked = Questions::read(&asked).unwrap();
        let sent = json!({ "Age": "20", "Rules": true, "Why?": "order" });
        let labels: Vec<_> =
            answers(Some(&asked), &sent).into_iter().map(|(label, said)| format!("{label} {said}")).collect();
        assert_eq!(labels, ["Why? order", "Rules Yes", "Age 20"]);
    }
}
