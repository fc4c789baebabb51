//! Actions on a member: sync now, give or remove a role.

use entities::{RoleId, link};
use http::{Method, StatusCode};
use people::ApiAnswer;
use serde_json::Map;

use super::member::{load, show};
use crate::html::form::Form;
use crate::pages::synced;
use crate::response::{Flash, PageError, Response, Undo};
use crate::visit::GuildVisit;

pub(crate) async fn sync(visit: GuildVisit) -> Result<Response, PageError> {
    let link = load(&visit).await?;
    let mut body = Map::new();
    body.insert("user_id".to_owned(), link.chat_id.to_string().into());
    let answer = visit.api(Method::POST, "/interactions/sync", body).await;
    if let Some(elsewhere) = unfinished(&visit, &link, &answer).await? {
        return Ok(elsewhere);
    }
    let text = synced::words(&visit, link.guild_id, &link.play_username, &answer.body["data"]).await;
    Ok(Response::see(page_of(&visit, &link)).flash(Flash::new(text)))
}

pub(crate) async fn give(visit: GuildVisit) -> Result<Response, PageError> {
    change(&visit, Change { verb: "assign", done: ["Gave", "to"], undo: "remove" }).await
}

pub(crate) async fn remove(visit: GuildVisit) -> Result<Response, PageError> {
    change(&visit, Change { verb: "remove", done: ["Removed", "from"], undo: "give" }).await
}

struct Change {
    verb: &'static str,
    /// Around the role's name.
    done: [&'static str; 2],
    undo: &'static str,
}

async fn change(visit: &GuildVisit, change: Change) -> Result<Response, PageError> {
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
    let (name, [done, whom]) = (named(visit, role).await, change.done);
    // The next sync decides about roles of bindings.
    let text = format!(
        "{done} {name} {whom} {}. If a binding is about this role, the next sync decides again.",
        link.play_username
    );
    let flash = Flash::new(text);
    Ok(Response::see(page).flash(flash.with_undo(undo)))
}

/// The role's name, or its id while Discord does not answer.
async fn named(visit: &GuildVisit, role: RoleId) -> String {
    let roles = visit.platforms().chat.guild_roles(visit.call_context()).await.unwrap_or_default();
    let known = roles.into_iter().find(|known| known.id == role);
    known.map_or_else(|| format!("the role {role}"), |role| role.name)
}

/// The answer where the job was refused, failed, or still runs.
async fn unfinished(
    visit: &GuildVisit,
    link: &link::Model,
    answer: &ApiAnswer,
) -> Result<Option<Response>, PageError> {
    if answer.status == StatusCode::ACCEPTED
        && let Some(job) = answer.body["data"]["job_id"].as_str()
    {
        let flash = Flash::new("This takes longer than usual. The job goes on in the background.");
        return Ok(Some(Response::see(visit.url(&format!("/jobs/{job}"))).flash(flash)));
    }
    if answer.status.is_success() {
        return Ok(None);
    }
    show(visit, link, Form::refused(&visit.form, answer)).await.map(Some)
}

fn page_of(visit: &GuildVisit, link: &link::Model) -> String {
    visit.url(&format!("/members/{}", link.chat_id))
}
