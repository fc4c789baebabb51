//! Queues a command for one server, or for all live ones.

use http::Method;
use serde_json::{Map, Value};

use super::rows::address;
use super::server;
use crate::fields::segment;
use crate::html::form::Form;
use crate::html::format::Count;
use crate::response::{Flash, PageError, Response};
use crate::visit::GuildVisit;

/// The word to type before a command goes to every server.
const CONFIRMATION: &str = "all";

fn body(visit: &GuildVisit) -> Map<String, Value> {
    visit.form.json(&["type", "target_id", "reason"])
}

pub(crate) async fn one(visit: GuildVisit) -> Result<Response, PageError> {
    let server = server::find(&visit).await?;
    let path = format!("/play/servers/{}/commands", segment(&server.server_id));
    let answer = visit.api(Method::POST, &path, body(&visit)).await;
    if !answer.status.is_success() {
        return server::show(&visit, Form::refused(&visit.form, &answer)).await;
    }
    let flash = Flash::new("Command queued. The server fetches it within seconds; its answer appears below.");
    Ok(Response::see(address(&visit, &server.server_id)).flash(flash))
}

pub(crate) async fn all(visit: GuildVisit) -> Result<Response, PageError> {
    if !visit.form.text("word").eq_ignore_ascii_case(CONFIRMATION) {
        let text = format!("Type {CONFIRMATION} here: the command goes to every live server.");
        return super::show(&visit, Form::wrong(&visit.form, Some("word"), &text)).await;
    }
    let mut body = body(&visit);
    body.extend(visit.form.json(&["place_id"]));
    let answer = visit.api(Method::POST, "/guilds/{g}/servers/commands", body).await;
    if !answer.status.is_success() {
        return super::show(&visit, Form::refused(&visit.form, &answer)).await;
    }
    let queued = answer.body["data"]["queued"].as_i64().unwrap_or_default();
    let flash = Flash::new(format!("Command queued for {}.", Count(queued, "live server")));
    Ok(Response::see(visit.url("/servers")).flash(flash))
}
