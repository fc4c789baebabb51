//! /console/guilds/:guild/staff/leave: leaves of absence, and requests for leave.

pub(crate) mod absence;
mod form;
pub(crate) mod request;
pub(crate) mod requests;

use askama::Template;
use entities::leave_request::{self, State};
use entities::{LoaId, loa, staff_directory};
use http::Method;

use super::person::{STAFF_FIELD, asked, named, refused};
use super::tabs::{Link, Tab, tabs};
use super::{Staff, days, decides, name_of, own, sees_all};
use crate::html::form::Form;
use crate::html::list::{cut, page};
use crate::html::shell::{Place, Shell};
use crate::pages::guilds::people::Who;
use crate::response::{Flash, PageError, Response, Undo};
use crate::visit::GuildVisit;
use form::{FIELDS, body_of};
use request::Request;

/// Requests shown here: the newest open ones.
const REQUESTS: u64 = 5;

#[derive(Template)]
#[template(path = "guilds/staff/leave.html")]
#[expect(clippy::struct_excessive_bools, reason = "independent facts that the page shows")]
struct Page {
    shell: Shell,
    tabs: Vec<Link>,
    form: Form,
    url: String,
    sees_all: bool,
    may_write: bool,
    /// Own leave is entered like that of others.
    admin: bool,
    /// May ask for leave.
    is_staff: bool,
    zone: String,
    requests: Vec<Request>,
    rows: Vec<Row>,
    status: String,
    more: Option<String>,
}

struct Row {
    id: LoaId,
    who: Who,
    span: String,
    reason: String,
    /// Its state: word and kind of mark.
    state: (&'static str, &'static str),
    over: bool,
    /// The viewer may change it.
    decides: bool,
}

impl Row {
    fn new(visit: &GuildVisit, staff: &Staff, row: loa::Model) -> Self {
        let over = row.status_at(visit.now()) == loa::Status::Expired;
        let state = match over {
            true if row.is_cancelled() => ("quiet", "cancelled"),
            true => ("quiet", "over"),
            false if row.starts_at > visit.now() => ("info", "planned"),
            false => ("good", "away now"),
        };
        let until = if row.is_cancelled() { row.ends_at } else { row.until() };
        let span = days::span(row.starts_at, until, days::zone(visit));
        let (who, decides) = (staff.who(visit, row.staff_id), decides(visit, row.staff_id));
        Self { id: row.loa_id, who, span, reason: row.reason, state, over, decides }
    }
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    let form = Form::new(visit.query.clone());
    show(&visit, form).await
}

async fn show(visit: &GuildVisit, form: Form) -> Result<Response, PageError> {
    let (conn, guild) = (visit.read(), visit.guild.guild_id);
    let (asked, form) = asked(visit, form).await?;
    let status = match visit.query.text("status") {
        "active" => Some(loa::Status::Active),
        "expired" => Some(loa::Status::Expired),
        _ => None,
    };
    let mut leaves = Vec::new();
    if form.problem_of(STAFF_FIELD).is_empty() {
        let filter = loa::Filter { staff: asked, status };
        leaves = loa::list(conn, guild, filter, page(visit), visit.now()).await?;
    }
    let more = cut(visit, &mut leaves, |row| row.loa_id);
    let requests = requests_shown(visit).await?;
    let chats = leaves.iter().map(|row| row.staff_id).chain(requests.iter().map(|row| row.staff_id));
    let staff = Staff::read(visit, chats.collect()).await?;
    let is_staff = staff_directory::find(conn, guild, own(visit), visit.now()).await?.is_some();
    let page = Page {
        shell: visit.shell("Leave", Place::Staff),
        tabs: tabs(visit, Tab::Leave),
        url: visit.url("/staff/leave"),
        sees_all: sees_all(visit),
        may_write: visit.may("staff.write"),
        admin: visit.rights.admin,
        is_staff,
        zone: visit.guild.time_zone.clone(),
        requests: requests.into_iter().map(|row| Request::new(visit, &staff, row)).collect(),
        rows: leaves.into_iter().map(|row| Row::new(visit, &staff, row)).collect(),
        status: visit.query.text("status").to_owned(),
        more,
        form,
    };
    Ok(Response::page(&page)?.status(page.form.status()))
}

/// People who decide see open requests; others see the results of their own.
async fn requests_shown(visit: &GuildVisit) -> Result<Vec<leave_request::Model>, PageError> {
    let (staff, state) =
        if sees_all(visit) { (None, Some(State::Requested)) } else { (Some(own(visit)), None) };
    let filter = leave_request::Filter { staff, state };
    let first = entities::Page::first(REQUESTS);
    Ok(leave_request::list(visit.read(), visit.guild.guild_id, filter, first).await?)
}

/// A staff member asks for their own leave.
pub(crate) async fn request_own(visit: GuildVisit) -> Result<Response, PageError> {
    let body = match body_of(&visit, own(&visit)) {
        Ok(body) => body,
        Err(form) => return show(&visit, form).await,
    };
    let answer = visit.api(Method::POST, "/guilds/{g}/staff/leave-requests", body).await;
    if !answer.status.is_success() {
        return show(&visit, Form::refused(&visit.form, &answer)).await;
    }
    let undo =
        Undo::new(visit.url(&format!("/staff/leave/requests/{}/withdraw", answer.body["data"]["id"])), &[]);
    let flash = Flash::new("Leave requested. It begins when it is approved.").with_undo(undo);
    Ok(Response::see(visit.url("/staff/leave")).flash(flash))
}

pub(crate) async fn add(visit: GuildVisit) -> Result<Response, PageError> {
    let staff = match named(&visit, &visit.form, "staff_id").await? {
        Ok(staff) => staff,
        Err(problem) => return show(&visit, Form::unresolved(&visit.form, "staff_id", problem)).await,
    };
    if !decides(&visit, staff) {
        return request_own(visit).await;
    }
    let body = match body_of(&visit, staff) {
        Ok(body) => body,
        Err(form) => return show(&visit, form).await,
    };
    let answer = visit.api(Method::POST, "/guilds/{g}/staff/loa", body).await;
    if !answer.status.is_success() {
        return show(&visit, refused(&visit.form, &answer)).await;
    }
    let undo = Undo::new(visit.url(&format!("/staff/leave/{}/remove", answer.body["data"]["id"])), &[]);
    let flash = Flash::new(format!("Leave of {} added.", name_of(&visit, staff).await?));
    Ok(Response::see(visit.url("/staff/leave")).flash(flash.with_undo(undo)))
}
