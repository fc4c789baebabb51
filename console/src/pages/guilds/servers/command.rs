//! Queues a command for one server, or for all live ones.

use http::Method;

use super::order::Order;
use super::rows::address;
use super::server;
use crate::fields::segment;
use crate::html::form::Form;
use crate::html::format::Count;
use crate::response::{Flash, PageError, Response};
use crate::visit::GuildVisit;

/// The word to type before a command that concerns everybody goes to every server.
const CONFIRMATION: &str = "all";

pub(crate) async fn one(visit: GuildVisit) -> Result<Response, PageError> {
    let server = server::find(&visit).await?;
    let order = match Order::read(&visit, Some(&server.server_id)).await? {
        Ok(order) => order,
        Err(form) => return server::show(&visit, form).await,
    };
    if order.ends_the_server() && !visit.form.has("sure") {
        let question = format!("{}? {}", order.words, server::who_leaves(server.player_count));
        return server::show(&visit, Form::asks(&visit.form, "kind", question.into())).await;
    }
    let path = format!("/play/servers/{}/commands", segment(&server.server_id));
    let answer = visit.api(Method::POST, &path, order.body).await;
    if !answer.status.is_success() {
        return server::show(&visit, Form::refused(&visit.form, &answer)).await;
    }
    let flash = format!(
        "{} queued. The server last reported {}; it fetches commands with its next report, and its answer \
         appears below.",
        order.words,
        visit.when(server.last_heartbeat_at).words()
    );
    Ok(Response::see(address(&visit, &server.server_id)).flash(Flash::new(flash)))
}

pub(crate) async fn all(visit: GuildVisit) -> Result<Response, PageError> {
    let order = match Order::read(&visit, None).await? {
        Ok(order) => order,
        Err(form) => return super::show(&visit, form).await,
    };
    if order.is_for_everybody() && !visit.form.text("word").eq_ignore_ascii_case(CONFIRMATION) {
        let text = format!("Type {CONFIRMATION} here: the command goes to every live server.");
        return super::show(&visit, Form::wrong(&visit.form, Some("word"), &text)).await;
    }
    let mut body = order.body;
    body.extend(visit.form.json(&["place_id"]));
    let answer = visit.api(Method::POST, "/guilds/{g}/servers/commands", body).await;
    if !answer.status.is_success() {
        return super::show(&visit, Form::refused(&visit.form, &answer)).await;
    }
    let queued = answer.body["data"]["queued"].as_i64().unwrap_or_default();
    let flash = Flash::new(format!("{} queued for {}.", order.words, Count(queued, "live server")));
    Ok(Response::see(visit.url("/servers")).flash(flash))
}
