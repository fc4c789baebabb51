//! /console/guilds/:guild/staff/pending: actions that count only once they are approved.

use askama::Template;
use entities::{PendingId, pending_action};
use http::{Method, StatusCode};
use serde_json::Map;

use super::tabs::{Link, Tab, tabs};
use super::{Staff, decides, labels};
use crate::html::format::When;
use crate::html::list::{cut, page};
use crate::html::shell::{Place, Shell};
use crate::pages::guilds::people::Who;
use crate::response::{Flash, PageError, Response};
use crate::visit::GuildVisit;

#[derive(Template)]
#[template(path = "guilds/staff/pending.html")]
struct Page {
    shell: Shell,
    tabs: Vec<Link>,
    url: String,
    problem: String,
    may_write: bool,
    rows: Vec<Row>,
    more: Option<String>,
}

struct Row {
    id: PendingId,
    who: Who,
    action: &'static str,
    submitted: When,
    /// The viewer may approve and reject it.
    decides: bool,
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    show(&visit, String::new()).await
}

async fn show(visit: &GuildVisit, problem: String) -> Result<Response, PageError> {
    let mut rows = pending_action::list(visit.read(), visit.guild.guild_id, page(visit)).await?;
    let more = cut(visit, &mut rows, |row| row.pending_id);
    let staff = Staff::read(visit, rows.iter().map(|row| row.staff_id).collect()).await?;
    let shown = |row: pending_action::Model| Row {
        id: row.pending_id,
        who: staff.who(visit, row.staff_id),
        action: labels::action(row.action_type),
        submitted: visit.when(row.submitted_at),
        decides: decides(visit, row.staff_id),
    };
    let status = if problem.is_empty() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    let page = Page {
        shell: visit.shell("Pending actions", Place::Staff),
        tabs: tabs(visit, Tab::Pending),
        url: visit.url("/staff/pending"),
        problem,
        may_write: visit.may("staff.write"),
        rows: rows.into_iter().map(shown).collect(),
        more,
    };
    Ok(Response::page(&page)?.status(status))
}

pub(crate) async fn approve(visit: GuildVisit) -> Result<Response, PageError> {
    decide(visit, "approve", "Action approved. It counts from now on.").await
}

pub(crate) async fn reject(visit: GuildVisit) -> Result<Response, PageError> {
    decide(visit, "reject", "Action rejected. It never counts.").await
}

async fn decide(visit: GuildVisit, verb: &str, done: &str) -> Result<Response, PageError> {
    let id: PendingId = visit.param("action")?;
    let path = format!("/guilds/{{g}}/staff/quota-pending/{id}/{verb}");
    let answer = visit.api(Method::POST, &path, Map::new()).await;
    if !answer.status.is_success() {
        return show(&visit, answer.message()).await;
    }
    Ok(Response::see(visit.back_to(&["/staff/pending"])).flash(Flash::new(done)))
}
