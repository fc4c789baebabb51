//! /console/guilds/:guild/applications/:submission: the application of one person, and its ticket.

use askama::Template;
use entities::{Subject, SubmissionId, application_panel, application_submission, ticket};
use http::{Method, StatusCode};
use serde_json::Value;

use super::Ticket;
use crate::html::format::When;
use crate::html::shell::{Place, Shell};
use crate::pages::guilds::people::{People, Who};
use crate::response::{Flash, PageError, Response};
use crate::visit::GuildVisit;

/// Shows the pages of jobs.
const JOBS_PERMISSION: &str = "sync.write";

#[derive(Template)]
#[template(path = "guilds/applications/submission.html")]
struct Page {
    shell: Shell,
    problem: String,
    url: String,
    panel: String,
    who: Who,
    sent: When,
    answers: Vec<(String, String)>,
    ticket: Ticket,
    /// The job that creates the channel.
    job: Option<String>,
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    show(&visit, String::new()).await
}

async fn find(visit: &GuildVisit) -> Result<application_submission::Model, PageError> {
    let id: SubmissionId = visit.param("submission")?;
    let found = application_submission::find(visit.read(), visit.guild.guild_id, id).await?;
    found.ok_or(PageError::NotFound)
}

async fn show(visit: &GuildVisit, problem: String) -> Result<Response, PageError> {
    let (conn, guild) = (visit.read(), visit.guild.guild_id);
    let row = find(visit).await?;
    let panel = application_panel::find(conn, guild, row.panel_id).await?;
    let ticket = ticket::find_by_submission(conn, guild, row.submission_id).await?;
    let people = People::read(visit, [Subject::Chat(row.chat_id)]).await?;
    let status = if problem.is_empty() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    let page = Page {
        shell: visit.shell(&format!("Application {}", row.submission_id), Place::Applications),
        url: visit.url(&format!("/applications/{}", row.submission_id)),
        problem,
        panel: panel.map_or_else(|| row.panel_id.to_string(), |panel| panel.name),
        who: people.who(visit, Subject::Chat(row.chat_id)),
        sent: visit.when(row.created_at),
        answers: answers(&row.answers),
        job: ticket
            .as_ref()
            .and_then(|row| row.job_id)
            .filter(|_| visit.may(JOBS_PERMISSION))
            .map(|job| visit.url(&format!("/jobs/{job}"))),
        ticket: Ticket::of(visit, ticket.as_ref()),
    };
    Ok(Response::page(&page)?.status(status))
}

/// Question and answer, as the bot that sent them named them.
fn answers(sent: &Value) -> Vec<(String, String)> {
    let said = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let pairs = sent.as_object().into_iter().flatten();
    pairs.map(|(question, answer)| (question.clone(), said(answer))).collect()
}

pub(crate) async fn open_ticket(visit: GuildVisit) -> Result<Response, PageError> {
    let row = find(&visit).await?;
    let body = [("panel_id".to_owned(), row.panel_id.get().into())].into_iter().collect();
    let path = format!("/guilds/{{g}}/application-submissions/{}/create-ticket", row.submission_id);
    let answer = visit.api(Method::POST, &path, body).await;
    if !answer.status.is_success() {
        return show(&visit, answer.message()).await;
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
        let mut shown = answers(&sent);
        shown.sort();
        assert_eq!(
            shown,
            [("Age", "20"), ("Why?", "I like <b>order</b>")].map(|(q, a)| (q.to_owned(), a.to_owned()))
        );
        assert!(answers(&json!(null)).is_empty());
    }
}
