//! /console/guilds/:guild/staff/leave: who is away, and who asks to be.

use askama::Template;
use entities::leave_request::{self, State};
use entities::{ChatId, LeaveRequestId, LoaId, loa, staff_directory};
use http::{Method, StatusCode};
use serde_json::{Map, Value};

use super::tabs::{Link, Tab, tabs};
use super::{Choice, Staff, choices, cut, days, name_of, own, page, sees_all, whose};
use crate::answer::{Answer, PageError};
use crate::cookies::{Said, Undo};
use crate::form::Form;
use crate::pages::guilds::people::Who;
use crate::shell::{Place, Shell};
use crate::visit::GuildVisit;
use crate::words::When;

const FIELDS: [&str; 4] = ["staff_id", "starts_at", "ends_at", "reason"];
/// Requests shown: the newest.
const REQUESTS: u64 = 50;

#[derive(Template)]
#[template(path = "guilds/staff/leave.html")]
struct Page {
    shell: Shell,
    tabs: Vec<Link>,
    form: Form,
    url: String,
    sees_all: bool,
    may_write: bool,
    /// May ask for leave.
    is_staff: bool,
    zone: String,
    staff: Vec<Choice>,
    requests: Vec<Request>,
    rows: Vec<Row>,
    filter: Filter,
    more: Option<String>,
}

struct Filter {
    staff: String,
    status: String,
}

struct Request {
    id: LeaveRequestId,
    who: Who,
    span: String,
    reason: String,
    asked: When,
    state: State,
}

struct Row {
    id: LoaId,
    who: Who,
    span: String,
    reason: String,
    /// How it stands: word and its kind.
    state: (&'static str, &'static str),
    over: bool,
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Answer, PageError> {
    let form = Form::new(visit.query.clone());
    show(&visit, form).await
}

async fn show(visit: &GuildVisit, form: Form) -> Result<Answer, PageError> {
    let (conn, guild) = (visit.read(), visit.guild.guild_id);
    let asked = whose(visit, visit.query.read("staff"));
    let status = match visit.query.text("status") {
        "active" => Some(loa::Status::Active),
        "expired" => Some(loa::Status::Expired),
        _ => None,
    };
    let mut leaves = loa::list(conn, guild, loa::Filter { staff: asked, status }, page(visit)).await?;
    let more = cut(visit, &mut leaves, |row| row.loa_id);
    // Those who decide see what waits; others what became of their own requests.
    let state = sees_all(visit).then_some(State::Requested);
    let open = leave_request::Filter { staff: asked, state };
    let requests = leave_request::list(conn, guild, open, entities::Page::first(REQUESTS)).await?;
    let chats = leaves.iter().map(|row| row.staff_id).chain(requests.iter().map(|row| row.staff_id));
    let staff = Staff::read(visit, chats.collect()).await?;
    let is_staff = staff_directory::find(conn, guild, own(visit), visit.now()).await?.is_some();
    let page = Page {
        shell: visit.shell("Leave", Place::Staff),
        tabs: tabs(visit, Tab::Leave),
        url: visit.url("/staff/leave"),
        sees_all: sees_all(visit),
        may_write: visit.may("staff.write"),
        is_staff,
        zone: visit.guild.time_zone.clone(),
        staff: choices(visit).await?,
        requests: requests.into_iter().map(|row| request(visit, &staff, row)).collect(),
        rows: leaves.into_iter().map(|row| leave(visit, &staff, row)).collect(),
        filter: Filter {
            staff: visit.query.text("staff").to_owned(),
            status: visit.query.text("status").to_owned(),
        },
        more,
        form,
    };
    let status = if page.form.is_refused() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    Ok(Answer::page(&page)?.status(status))
}

fn request(visit: &GuildVisit, staff: &Staff, row: leave_request::Model) -> Request {
    Request {
        id: row.leave_request_id,
        who: staff.who(visit, row.staff_id),
        span: days::span(row.starts_at, row.ends_at, days::zone(visit)),
        reason: row.reason,
        asked: visit.when(row.created_at),
        state: row.state,
    }
}

fn leave(visit: &GuildVisit, staff: &Staff, row: loa::Model) -> Row {
    let over = row.status == loa::Status::Expired || row.ends_at <= visit.now();
    let state = match over {
        true => ("quiet", "over"),
        false if row.starts_at > visit.now() => ("info", "planned"),
        false => ("good", "away now"),
    };
    let span = days::span(row.starts_at, row.ends_at, days::zone(visit));
    Row { id: row.loa_id, who: staff.who(visit, row.staff_id), span, reason: row.reason, state, over }
}

/// The form's fields for the API, or the form with what is wrong.
fn body(visit: &GuildVisit, staff: ChatId) -> Result<Map<String, Value>, Form> {
    let (form, zone) = (&visit.form, days::zone(visit));
    let wrong = |field, text| Form::wrong(form, Some(field), text);
    let begin = days::begin(form.text("starts_at"), zone);
    let begin = begin.ok_or_else(|| wrong("starts_at", "Choose the first day."))?;
    let end = days::end(form.text("ends_at"), zone);
    let end = end.ok_or_else(|| wrong("ends_at", "Choose the last day."))?;
    if end <= begin {
        return Err(wrong("ends_at", "The last day is before the first day."));
    }
    if !form.has("reason") {
        return Err(wrong("reason", "Say why, in a few words."));
    }
    let mut body = form.json(&["reason"]);
    for (name, value) in
        [("staff_id", staff.to_string()), ("starts_at", days::sent(begin)), ("ends_at", days::sent(end))]
    {
        body.insert(name.to_owned(), value.into());
    }
    Ok(body)
}

/// A staff member asks for their own leave.
pub(crate) async fn request_own(visit: GuildVisit) -> Result<Answer, PageError> {
    let body = match body(&visit, own(&visit)) {
        Ok(body) => body,
        Err(form) => return show(&visit, form).await,
    };
    let answer = visit.api(Method::POST, "/guilds/{g}/staff/leave-requests", body).await;
    if !answer.status.is_success() {
        return show(&visit, Form::refused(&visit.form, &answer)).await;
    }
    let said = Said::new("Leave requested. It begins when it is approved.");
    Ok(Answer::see(visit.url("/staff/leave")).saying(said))
}

pub(crate) async fn add(visit: GuildVisit) -> Result<Answer, PageError> {
    let Some(staff) = visit.form.read::<ChatId>("staff_id") else {
        return show(&visit, Form::wrong(&visit.form, Some("staff_id"), "Choose who is away.")).await;
    };
    let body = match body(&visit, staff) {
        Ok(body) => body,
        Err(form) => return show(&visit, form).await,
    };
    let answer = visit.api(Method::POST, "/guilds/{g}/staff/loa", body).await;
    if !answer.status.is_success() {
        return show(&visit, Form::refused(&visit.form, &answer)).await;
    }
    let undo = Undo::new(visit.url(&format!("/staff/leave/{}/remove", answer.body["data"]["id"])), &[]);
    let said = Said::new(format!("Leave of {} added.", name_of(&visit, staff).await?));
    Ok(Answer::see(visit.url("/staff/leave")).saying(said.with_undo(undo)))
}

pub(crate) async fn approve(visit: GuildVisit) -> Result<Answer, PageError> {
    decide(visit, "approve", "Leave approved. It is in the list of leaves now.").await
}

pub(crate) async fn reject(visit: GuildVisit) -> Result<Answer, PageError> {
    decide(visit, "reject", "Request rejected. They can ask again.").await
}

async fn decide(visit: GuildVisit, verb: &str, done: &str) -> Result<Answer, PageError> {
    let id: LeaveRequestId = visit.param("request")?;
    let path = format!("/guilds/{{g}}/staff/leave-requests/{id}/{verb}");
    done_or_refused(visit, Method::POST, &path, Map::new(), Said::new(done)).await
}

/// Back early: the leave ends now.
pub(crate) async fn end(visit: GuildVisit) -> Result<Answer, PageError> {
    let undo = Undo::new(visit.url(&format!("/staff/leave/{}/resume", visit.param::<LoaId>("leave")?)), &[]);
    set_status(visit, "expired", Said::new("Leave ended.").with_undo(undo)).await
}

pub(crate) async fn resume(visit: GuildVisit) -> Result<Answer, PageError> {
    set_status(visit, "active", Said::new("The leave goes on.")).await
}

async fn set_status(visit: GuildVisit, status: &str, said: Said) -> Result<Answer, PageError> {
    let id: LoaId = visit.param("leave")?;
    let body = [("status".to_owned(), status.into())].into_iter().collect();
    done_or_refused(visit, Method::PATCH, &format!("/guilds/{{g}}/staff/loa/{id}"), body, said).await
}

pub(crate) async fn remove(visit: GuildVisit) -> Result<Answer, PageError> {
    let id: LoaId = visit.param("leave")?;
    let found = loa::find(visit.read(), visit.guild.guild_id, id).await?;
    let before = found.ok_or(PageError::NotFound)?;
    let (staff, zone) = (before.staff_id.to_string(), days::zone(&visit));
    let (first, last) = (days::day(before.starts_at, zone), days::last_day(before.ends_at, zone));
    let again =
        [("staff_id", &*staff), ("starts_at", &first), ("ends_at", &last), ("reason", &before.reason)];
    let said = Said::new("Leave deleted.").with_undo(Undo::new(visit.url("/staff/leave"), &again));
    done_or_refused(visit, Method::DELETE, &format!("/guilds/{{g}}/staff/loa/{id}"), Map::new(), said).await
}

async fn done_or_refused(
    visit: GuildVisit,
    method: Method,
    path: &str,
    body: Map<String, Value>,
    said: Said,
) -> Result<Answer, PageError> {
    let answer = visit.api(method, path, body).await;
    if !answer.status.is_success() {
        return show(&visit, Form::wrong(&visit.form, None, answer.message())).await;
    }
    Ok(Answer::see(visit.url("/staff/leave")).saying(said))
}
