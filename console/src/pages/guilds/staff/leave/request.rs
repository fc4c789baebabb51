//! /console/guilds/:guild/staff/leave/requests/:request: one request for leave, and its decision.

use askama::Template;
use entities::leave_request::{self, Model, State};
use entities::{ChatId, LeaveRequestId};
use http::Method;
use serde_json::Map;

use super::super::{Staff, days, decides, own, sees_all};
use super::form::{FIELDS, body, borrowed, fields, times};
use crate::fields::Fields;
use crate::html::form::Form;
use crate::html::format::When;
use crate::html::shell::{Place, Shell};
use crate::pages::guilds::people::Who;
use crate::response::{Flash, PageError, Response, Undo};
use crate::visit::GuildVisit;

#[derive(Template)]
#[template(path = "guilds/staff/leave_request.html")]
struct Page {
    shell: Shell,
    form: Form,
    url: String,
    zone: String,
    row: Request,
    decided: Option<(Who, When)>,
}

pub(super) struct Request {
    pub(super) id: LeaveRequestId,
    pub(super) who: Who,
    pub(super) span: String,
    pub(super) reason: String,
    pub(super) asked: When,
    /// Its state: kind of mark and word.
    pub(super) state: (&'static str, &'static str),
    pub(super) open: bool,
    /// The viewer asked for it.
    pub(super) own: bool,
    /// The viewer may approve and reject it.
    pub(super) decides: bool,
}

/// State, its value in a filter, kind of mark, word.
pub(super) const STATES: [(State, &str, &str, &str); 4] = [
    (State::Requested, "requested", "warning", "waits"),
    (State::Approved, "approved", "good", "approved"),
    (State::Rejected, "rejected", "bad", "rejected"),
    (State::Withdrawn, "withdrawn", "quiet", "withdrawn"),
];

fn word(state: State) -> (&'static str, &'static str) {
    let known = STATES.iter().find(|(one, ..)| *one == state);
    known.map_or(("quiet", ""), |(_, _, kind, word)| (*kind, *word))
}

impl Request {
    pub(super) fn new(visit: &GuildVisit, staff: &Staff, row: Model) -> Self {
        Self {
            id: row.leave_request_id,
            who: staff.who(visit, row.staff_id),
            span: days::span(row.starts_at, row.ends_at, days::zone(visit)),
            reason: row.reason,
            asked: visit.when(row.created_at),
            state: word(row.state),
            open: row.state == State::Requested,
            own: row.staff_id == own(visit),
            decides: decides(visit, row.staff_id),
        }
    }
}

/// The request of the address, if the viewer may see it.
async fn find(visit: &GuildVisit) -> Result<Model, PageError> {
    let found = leave_request::find(visit.read(), visit.guild.guild_id, visit.param("request")?).await?;
    let shown = |row: &Model| sees_all(visit) || visit.may("staff.write") || row.staff_id == own(visit);
    found.filter(shown).ok_or(PageError::NotFound)
}

/// The request of the address, if the viewer asked for it.
async fn find_own(visit: &GuildVisit) -> Result<Model, PageError> {
    let row = find(visit).await?;
    if row.staff_id == own(visit) { Ok(row) } else { Err(PageError::NotFound) }
}

fn fields_of(visit: &GuildVisit, row: &Model) -> [(&'static str, String); 3] {
    fields(visit, (row.starts_at, row.ends_at), row.reason.clone())
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    let row = find(&visit).await?;
    let form = Form::new(Fields::of(&borrowed(&fields_of(&visit, &row))));
    show(&visit, form, row).await
}

async fn show(visit: &GuildVisit, form: Form, row: Model) -> Result<Response, PageError> {
    let chats: Vec<ChatId> = [Some(row.staff_id), row.decided_by].into_iter().flatten().collect();
    let staff = Staff::read(visit, chats).await?;
    let decided = row.decided_by.zip(row.decided_at);
    let page = Page {
        shell: visit.shell(&format!("Request for leave {}", row.leave_request_id), Place::Staff),
        url: visit.url("/staff/leave"),
        zone: visit.guild.time_zone.clone(),
        decided: decided.map(|(by, at)| (staff.who(visit, by), visit.when(at))),
        row: Request::new(visit, &staff, row),
        form,
    };
    Ok(Response::page(&page)?.status(page.form.status()))
}

/// Changes days or reason, by the person who asked.
pub(crate) async fn update(visit: GuildVisit) -> Result<Response, PageError> {
    let row = find_own(&visit).await?;
    let body = match body(&visit, Some((row.starts_at, row.ends_at))) {
        Ok(body) => body,
        Err(form) => return show(&visit, form, row).await,
    };
    let path = format!("/guilds/{{g}}/staff/leave-requests/{}", row.leave_request_id);
    let answer = visit.api(Method::PATCH, &path, body).await;
    if !answer.status.is_success() {
        return show(&visit, Form::refused(&visit.form, &answer), row).await;
    }
    let url = visit.url(&format!("/staff/leave/requests/{}", row.leave_request_id));
    let undo = Undo::new(url.clone(), &borrowed(&fields_of(&visit, &row)));
    Ok(Response::see(url).flash(Flash::new("Request changed.").with_undo(undo)))
}

/// Without days in the form the leave has the requested ones.
pub(crate) async fn approve(visit: GuildVisit) -> Result<Response, PageError> {
    let row = find(&visit).await?;
    let mut body = Map::new();
    if visit.form.has("starts_at") || visit.form.has("ends_at") {
        let (begin, end) = match times(&visit, Some((row.starts_at, row.ends_at))) {
            Ok(times) => times,
            Err(form) => return show(&visit, form, row).await,
        };
        body.insert("starts_at".to_owned(), days::sent(begin).into());
        body.insert("ends_at".to_owned(), days::sent(end).into());
    }
    let path = format!("/guilds/{{g}}/staff/leave-requests/{}/approve", row.leave_request_id);
    let answer = visit.api(Method::POST, &path, body).await;
    if !answer.status.is_success() {
        return show(&visit, Form::refused(&visit.form, &answer), row).await;
    }
    let flash = Flash::new("Leave approved. It is in the list of leaves now.");
    Ok(Response::see(visit.back_to(&["/staff/leave", "/staff/leave/requests"])).flash(flash))
}

pub(crate) async fn reject(visit: GuildVisit) -> Result<Response, PageError> {
    let row = find(&visit).await?;
    decide(visit, row, "reject", Flash::new("Request rejected. They can ask again.")).await
}

/// Withdraws the request, by the person who asked.
pub(crate) async fn withdraw(visit: GuildVisit) -> Result<Response, PageError> {
    let row = find_own(&visit).await?;
    let undo = Undo::new(visit.url("/staff/leave/request"), &borrowed(&fields_of(&visit, &row)));
    decide(visit, row, "withdraw", Flash::new("Request withdrawn.").with_undo(undo)).await
}

async fn decide(visit: GuildVisit, row: Model, verb: &str, flash: Flash) -> Result<Response, PageError> {
    let path = format!("/guilds/{{g}}/staff/leave-requests/{}/{verb}", row.leave_request_id);
    let answer = visit.api(Method::POST, &path, Map::new()).await;
    if !answer.status.is_success() {
        return show(&visit, Form::wrong(&visit.form, None, &answer.message()), row).await;
    }
    Ok(Response::see(visit.back_to(&["/staff/leave", "/staff/leave/requests"])).flash(flash))
}
