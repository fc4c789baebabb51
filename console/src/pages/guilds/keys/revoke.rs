//! /console/guilds/:guild/keys/:key/revoke: asks by naming the key, and revokes it for good.

use askama::Template;
use http::{Method, StatusCode};
use serde_json::Map;

use super::find;
use crate::answer::{Answer, PageError};
use crate::cookies::Said;
use crate::shell::{Place, Shell};
use crate::visit::GuildVisit;
use crate::words::When;

#[derive(Template)]
#[template(path = "guilds/key_revoke.html")]
struct Page {
    shell: Shell,
    url: String,
    name: String,
    public_id: String,
    used: Option<When>,
    /// Why the request was refused; empty: it was not.
    problem: String,
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Answer, PageError> {
    show(&visit, String::new()).await
}

async fn show(visit: &GuildVisit, problem: String) -> Result<Answer, PageError> {
    let key = find(visit).await?;
    let status = if problem.is_empty() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    let page = Page {
        shell: visit.shell("Revoke a key", Place::Keys),
        url: visit.url("/keys"),
        name: key.name,
        public_id: key.public_id,
        used: key.last_used_at.map(|at| visit.when(at)),
        problem,
    };
    Ok(Answer::page(&page)?.status(status))
}

pub(crate) async fn post(visit: GuildVisit) -> Result<Answer, PageError> {
    let key = find(&visit).await?;
    let path = format!("/guilds/{{g}}/keys/{}", key.public_id);
    let answer = visit.api(Method::DELETE, &path, Map::new()).await;
    if !answer.status.is_success() {
        return show(&visit, answer.message()).await;
    }
    let said =
        format!("Key {} ({}) is revoked: every process refuses it within a second.", key.name, key.public_id);
    Ok(Answer::see(visit.url("/keys")).saying(Said::new(said)))
}
