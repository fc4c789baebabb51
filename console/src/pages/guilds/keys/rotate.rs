//! /console/guilds/:guild/keys/:key/rotate: replaces a key, which stays valid for a while.

use askama::Template;
use entities::api_key;
use http::Method;
use serde_json::Map;

use super::{find, shown};
use crate::html::form::Form;
use crate::html::shell::{Place, Shell};
use crate::response::{PageError, Response};
use crate::visit::GuildVisit;

/// Overlaps to choose from, in seconds.
const OVERLAPS: [(u32, &str); 5] = [
    (0, "none: the old key ends now"),
    (3_600, "1 hour"),
    (86_400, "1 day"),
    (7 * 86_400, "7 days"),
    (30 * 86_400, "30 days"),
];
const DEFAULT_OVERLAP: &str = "86400";
const FIELDS: &[&str] = &["overlap_seconds"];

#[derive(Template)]
#[template(path = "guilds/key_rotate.html")]
struct Page {
    shell: Shell,
    url: String,
    form: Form,
    name: String,
    public_id: String,
    overlaps: &'static [(u32, &'static str)],
    chosen: String,
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    show(&visit, Form::default()).await
}

async fn show(visit: &GuildVisit, form: Form) -> Result<Response, PageError> {
    let key = find(visit).await?;
    let chosen = form.text("overlap_seconds");
    let page = Page {
        shell: visit.shell("Replace a key", Place::Keys),
        url: visit.url("/keys"),
        name: key.name,
        public_id: key.public_id,
        overlaps: &OVERLAPS,
        chosen: if chosen.is_empty() { DEFAULT_OVERLAP.to_owned() } else { chosen.to_owned() },
        form,
    };
    Ok(Response::page(&page)?.status(page.form.status()))
}

pub(crate) async fn post(visit: GuildVisit) -> Result<Response, PageError> {
    let key = find(&visit).await?;
    let mut body = Map::new();
    let overlap = visit.form.text("overlap_seconds");
    let seconds = overlap.parse::<i64>().map_or_else(|_| overlap.into(), serde_json::Value::from);
    body.insert("overlap_seconds".to_owned(), seconds);
    let path = format!("/guilds/{{g}}/keys/{}/rotate", key.public_id);
    let answer = visit.api(Method::POST, &path, body).await;
    if !answer.status.is_success() {
        return show(&visit, Form::refused(&visit.form, &answer)).await;
    }
    let old = api_key::find(visit.read(), visit.guild.guild_id, &key.public_id).await?;
    let until = old.and_then(|old| old.expires_at).map(|at| visit.when(at));
    shown(&visit, &answer, Some((key.public_id, until)))
}
