//! POST /console/guilds/:guild/keys: makes a key and shows its text.

use chrono::TimeDelta;
use http::Method;
use serde_json::Value;

use super::{chosen, show, shown};
use crate::html::form::Form;
use crate::response::{PageError, Response};
use crate::visit::GuildVisit;

pub(crate) async fn post(visit: GuildVisit) -> Result<Response, PageError> {
    let form = &visit.form;
    let mut body = form.json(&["name"]);
    let scopes = chosen(form);
    if scopes.is_empty() {
        let text = "Choose what the key is for, or at least one right.";
        return show(&visit, Form::wrong(form, Some("scopes"), text)).await;
    }
    body.insert("scopes".to_owned(), scopes.into_iter().map(Value::from).collect());
    if form.has("hot_path_factor") {
        let sent = form.text("hot_path_factor");
        body.insert("hot_path_factor".to_owned(), sent.parse::<i64>().map_or(sent.into(), Value::from));
    }
    match form.text("expires_at").parse::<i64>() {
        Ok(days @ 1..=3650) => {
            let end = visit.now() + TimeDelta::days(days);
            body.insert("expires_at".to_owned(), end.format("%Y-%m-%dT%H:%M:%SZ").to_string().into());
        }
        Err(_) if !form.has("expires_at") => {}
        _ => {
            let text = "Give a number of days from 1 to 3650, or nothing.";
            return show(&visit, Form::wrong(form, Some("expires_at"), text)).await;
        }
    }
    let answer = visit.api(Method::POST, "/guilds/{g}/keys", body).await;
    if !answer.status.is_success() {
        return show(&visit, Form::refused(form, &answer)).await;
    }
    shown(&visit, &answer, None)
}
