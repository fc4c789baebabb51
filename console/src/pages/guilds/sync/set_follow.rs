//! The forms of automatic syncs: their pace, and the way on after one that stopped.

use http::Method;
use serde_json::{Map, Value};

use super::show;
use crate::html::form::Form;
use crate::response::{Flash, PageError, Response};
use crate::visit::GuildVisit;

pub(crate) async fn update(visit: GuildVisit) -> Result<Response, PageError> {
    let number = |name: &str| {
        let sent = visit.form.text(name);
        sent.parse::<i64>().map_or_else(|_| sent.into(), Value::from)
    };
    let every = if visit.form.has("every_minutes") { number("every_minutes") } else { Value::Null };
    let body = [("every_minutes".to_owned(), every), ("brake_percent".to_owned(), number("brake_percent"))];
    let answer = visit.api(Method::PATCH, "/guilds/{g}/follow", Map::from_iter(body)).await;
    if !answer.status.is_success() {
        return show(&visit, Form::refused(&visit.form, &answer)).await;
    }
    Ok(Response::see(visit.url("/sync")).flash(Flash::new("Automatic syncs changed.".to_owned())))
}

/// After a pass that stopped.
pub(crate) async fn resume(visit: GuildVisit) -> Result<Response, PageError> {
    let answer = visit.api(Method::POST, "/guilds/{g}/follow/resume", Map::new()).await;
    if !answer.status.is_success() {
        return show(&visit, Form::refused(&visit.form, &answer)).await;
    }
    let said = "The next automatic sync starts now, without the brake.".to_owned();
    Ok(Response::see(visit.url("/sync")).flash(Flash::new(said)))
}
