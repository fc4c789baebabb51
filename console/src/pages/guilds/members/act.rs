//! What is done to a member: sync now, give or take a role.

use entities::{RoleId, link};
use http::{Method, StatusCode};
use serde_json::Map;

use super::one::{load, show};
use super::synced;
use crate::answer::{Answer, PageError};
use crate::api::ApiAnswer;
use crate::cookies::{Said, Undo};
use crate::form::Form;
use crate::visit::GuildVisit;

pub(crate) async fn sync(visit: GuildVisit) -> Result<Answer, PageError> {
    let link = load(&visit).await?;
    let mut body = Map::new();
    body.insert("user_id".to_owned(), link.chat_id.to_string().into());
    let answer = visit.api(Method::POST, "/interactions/sync", body).await;
    if let Some(elsewhere) = unfinished(&visit, &link, &answer).await? {
        return Ok(elsewhere);
    }
    let said = synced::words(&visit, &link.play_username, &answer.body["data"]).await;
    Ok(Answer::see(page_of(&visit, &link)).saying(Said::new(said)))
}

pub(crate) async fn give(visit: GuildVisit) -> Result<Answer, PageError> {
    change(&visit, Change { verb: "assign", done: "Role given.", undo: "take" }).await
}

pub(crate) async fn take(visit: GuildVisit) -> Result<Answer, PageError> {
    change(&visit, Change { verb: "remove", done: "Role taken.", undo: "give" }).await
}

struct Change {
    verb: &'static str,
    done: &'static str,
    undo: &'static str,
}

async fn change(visit: &GuildVisit, change: Change) -> Result<Answer, PageError> {
    let link = load(visit).await?;
    let Some(role) = visit.form.read::<RoleId>("role_id") else {
        return show(visit, &link, Form::wrong(&visit.form, Some("role_id"), "Choose a role.")).await;
    };
    let mut body = visit.form.json(&["role_id"]);
    body.insert("user_id".to_owned(), link.chat_id.to_string().into());
    let answer = visit.api(Method::POST, &format!("/interactions/roles/{}", change.verb), body).await;
    if let Some(elsewhere) = unfinished(visit, &link, &answer).await? {
        return Ok(elsewhere);
    }
    let page = page_of(visit, &link);
    let undo = Undo::new(format!("{page}/roles/{}", change.undo), &[("role_id", &role.to_string())]);
    // The next sync decides about roles of bindings.
    let said = Said::new(format!("{} A sync changes it again where a binding gives this role.", change.done));
    Ok(Answer::see(page).saying(said.with_undo(undo)))
}

/// The answer where the job was refused, failed, or still runs.
async fn unfinished(
    visit: &GuildVisit,
    link: &link::Model,
    answer: &ApiAnswer,
) -> Result<Option<Answer>, PageError> {
    if answer.status == StatusCode::ACCEPTED
        && let Some(job) = answer.body["data"]["job_id"].as_str()
    {
        let said = Said::new("This takes longer than usual. The job goes on by itself.");
        return Ok(Some(Answer::see(visit.url(&format!("/jobs/{job}"))).saying(said)));
    }
    if answer.status.is_success() {
        return Ok(None);
    }
    show(visit, link, Form::refused(&visit.form, answer)).await.map(Some)
}

fn page_of(visit: &GuildVisit, link: &link::Model) -> String {
    visit.url(&format!("/members/{}", link.chat_id))
}
