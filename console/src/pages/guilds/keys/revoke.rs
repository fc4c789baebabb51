//! /console/guilds/:guild/keys/:key/revoke: asks by naming the key, and revokes it permanently.

use askama::Template;
use entities::api_key;
use http::{Method, StatusCode};
use serde_json::Map;

use super::{accepted, find};
use crate::html::format::When;
use crate::html::shell::{Place, Shell};
use crate::response::{Flash, PageError, Response};
use crate::visit::GuildVisit;

#[derive(Template)]
#[template(path = "guilds/key_revoke.html")]
struct Page {
    shell: Shell,
    url: String,
    name: String,
    public_id: String,
    used: Option<When>,
    /// Only the keys that came from it can be revoked.
    was_revoked: bool,
    /// Name and public id of the keys that came from it and are accepted.
    descendants: Vec<(String, String)>,
    /// Why the request was refused; empty: it was not.
    problem: String,
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    show(&visit, String::new()).await
}

async fn show(visit: &GuildVisit, problem: String) -> Result<Response, PageError> {
    let key = find(visit).await?;
    let all = api_key::list(visit.read(), Some(visit.guild.guild_id)).await?;
    let descendants = accepted(&all, &key, visit.now()).into_iter();
    let status = if problem.is_empty() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    let page = Page {
        shell: visit.shell("Revoke a key", Place::Keys),
        url: visit.url("/keys"),
        was_revoked: key.revoked_at.is_some(),
        descendants: descendants.map(|key| (key.name.clone(), key.public_id.clone())).collect(),
        name: key.name,
        public_id: key.public_id,
        used: key.last_used_at.map(|at| visit.when(at)),
        problem,
    };
    Ok(Response::page(&page)?.status(status))
}

pub(crate) async fn post(visit: GuildVisit) -> Result<Response, PageError> {
    let key = find(&visit).await?;
    let along = if visit.form.has("descendants") { "?descendants=true" } else { "" };
    let path = format!("/guilds/{{g}}/keys/{}{along}", key.public_id);
    let answer = visit.api(Method::DELETE, &path, Map::new()).await;
    if !answer.status.is_success() {
        return show(&visit, answer.message()).await;
    }
    let revoked = answer.body["data"]["revoked"].as_array().map(Vec::as_slice).unwrap_or_default();
    let ids = revoked.iter().filter_map(serde_json::Value::as_str);
    let keys = api_key::find_by_public_ids(visit.read(), ids).await?;
    let text = match keys.as_slice() {
        [] => format!("Key {} ({}) was revoked before.", key.name, key.public_id),
        [key] => {
            format!(
                "Key {} ({}) is revoked: every process refuses it within a second.",
                key.name, key.public_id
            )
        }
        keys => format!("{} keys are revoked: every process refuses them within a second.", keys.len()),
    };
    Ok(Response::see(visit.url("/keys")).flash(Flash::new(text)))
}
