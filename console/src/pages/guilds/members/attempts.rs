//! /console/guilds/:guild/members/attempts: members who want to link, and about whom staff decide.

use askama::Template;
use entities::link_attempt::{self, State};
use entities::{AttemptId, Subject};
use http::{Method, StatusCode};
use people::labels::of_people;
use serde_json::Map;

use crate::html::format::When;
use crate::html::list::{cut, page};
use crate::html::shell::{Place, Shell};
use crate::pages::guilds::people::Who;
use crate::response::{Flash, PageError, Response};
use crate::visit::GuildVisit;

#[derive(Template)]
#[template(path = "guilds/members/attempts.html")]
struct Page {
    shell: Shell,
    url: String,
    problem: String,
    rows: Vec<Row>,
    more: Option<String>,
}

struct Row {
    id: AttemptId,
    chat: Who,
    play: Who,
    why: String,
    since: When,
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    show(&visit, String::new()).await
}

async fn show(visit: &GuildVisit, problem: String) -> Result<Response, PageError> {
    let (conn, guild) = (visit.read(), visit.guild.guild_id);
    let mut rows = link_attempt::list(conn, guild, Some(State::Held), page(visit)).await?;
    let more = cut(visit, &mut rows, |row| row.attempt_id);
    let row = |row: link_attempt::Model| {
        let play = Subject::Play(row.play_id?);
        Some(Row {
            id: row.attempt_id,
            chat: Who::named(Subject::Chat(row.chat_id), row.chat_name),
            play: Who::named(play, row.play_username.unwrap_or_default()),
            why: of_people(row.held_for.as_deref().unwrap_or_default()),
            since: visit.when(row.created_at),
        })
    };
    let status = if problem.is_empty() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    let page = Page {
        shell: visit.shell("Links to decide", Place::Members),
        url: visit.url("/members/attempts"),
        problem,
        rows: rows.into_iter().filter_map(row).collect(),
        more,
    };
    Ok(Response::page(&page)?.status(status))
}

pub(crate) async fn approve(visit: GuildVisit) -> Result<Response, PageError> {
    decide(visit, "approve", "Linked. A sync gives the roles and the nickname.").await
}

pub(crate) async fn reject(visit: GuildVisit) -> Result<Response, PageError> {
    decide(visit, "reject", "Rejected: the member is not linked.").await
}

async fn decide(visit: GuildVisit, verb: &str, done: &str) -> Result<Response, PageError> {
    let id: AttemptId = visit.param("attempt")?;
    let path = format!("/guilds/{{g}}/link-attempts/{id}/{verb}");
    let answer = visit.api(Method::POST, &path, Map::new()).await;
    if !answer.status.is_success() {
        return show(&visit, answer.message()).await;
    }
    Ok(Response::see(visit.back_to(&["/members/attempts"])).flash(Flash::new(done)))
}
