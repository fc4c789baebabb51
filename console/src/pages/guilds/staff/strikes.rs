//! /console/guilds/:guild/staff/strikes: strikes against staff members, and one of them.

use askama::Template;
use entities::StrikeId;
use entities::strike::{self, Ended, Model};
use http::Method;
use people::ApiAnswer;
use serde_json::{Map, Value};

use super::person::{STAFF_FIELD, asked, named, refused};
use super::tabs::{Link, Tab, tabs};
use super::{Staff, days, decides, name_of, own, sees_all};
use crate::fields::Fields;
use crate::html::form::Form;
use crate::html::format::When;
use crate::html::list::{cut, page};
use crate::html::shell::{Place, Shell};
use crate::pages::guilds::people::Who;
use crate::response::{Flash, PageError, Response, Undo};
use crate::visit::GuildVisit;

const FIELDS: [&str; 5] = [STAFF_FIELD, "staff_id", "reason", "severity", "expires_at"];

#[derive(Template)]
#[template(path = "guilds/staff/strikes.html")]
struct Page {
    shell: Shell,
    tabs: Vec<Link>,
    form: Form,
    url: String,
    sees_all: bool,
    may_write: bool,
    /// Days after which a strike without an end expires.
    days: i32,
    zone: String,
    filter_active: String,
    rows: Vec<Row>,
    more: Option<String>,
}

#[derive(Template)]
#[template(path = "guilds/staff/strike.html")]
struct StrikePage {
    shell: Shell,
    form: Form,
    url: String,
    may_write: bool,
    zone: String,
    row: Row,
}

pub(super) struct Row {
    pub(super) id: StrikeId,
    pub(super) who: Who,
    pub(super) by: Who,
    pub(super) severity: i32,
    pub(super) reason: String,
    pub(super) given: When,
    pub(super) expires: When,
    /// Its state: kind of mark and word.
    pub(super) state: (&'static str, &'static str),
    pub(super) removed: bool,
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    let form = Form::new(visit.query.clone());
    show(&visit, form).await
}

async fn show(visit: &GuildVisit, form: Form) -> Result<Response, PageError> {
    let active = match visit.query.text("active") {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    };
    let (staff, form) = asked(visit, form).await?;
    let mut strikes = Vec::new();
    if form.problem_of(STAFF_FIELD).is_empty() {
        let (conn, filter) = (visit.read(), strike::Filter { staff, active });
        strikes = strike::list(conn, visit.guild.guild_id, filter, page(visit), visit.now()).await?;
    }
    let more = cut(visit, &mut strikes, |row| row.strike_id);
    let page = Page {
        shell: visit.shell("Strikes", Place::Staff),
        tabs: tabs(visit, Tab::Strikes),
        url: visit.url("/staff/strikes"),
        sees_all: sees_all(visit),
        may_write: visit.may("staff.write"),
        days: visit.guild.strike_days,
        zone: visit.guild.time_zone.clone(),
        filter_active: visit.query.text("active").to_owned(),
        rows: shown(visit, strikes).await?,
        more,
        form,
    };
    Ok(Response::page(&page)?.status(page.form.status()))
}

pub(super) async fn shown(visit: &GuildVisit, strikes: Vec<Model>) -> Result<Vec<Row>, PageError> {
    let staff =
        Staff::read(visit, strikes.iter().flat_map(|row| [row.staff_id, row.issued_by]).collect()).await?;
    let row = |row: Model| Row {
        id: row.strike_id,
        who: staff.who(visit, row.staff_id),
        by: staff.who(visit, row.issued_by),
        severity: row.severity,
        given: visit.when(row.created_at),
        expires: visit.when(row.expires_at),
        state: match row.ended_how {
            _ if row.is_active(visit.now()) => ("bad", "active"),
            Some(Ended::Removed) => ("quiet", "removed"),
            _ => ("quiet", "expired"),
        },
        removed: row.ended_how == Some(Ended::Removed),
        reason: row.reason,
    };
    Ok(strikes.into_iter().map(row).collect())
}

/// The strike of the address, if the viewer may see it.
async fn find(visit: &GuildVisit) -> Result<Model, PageError> {
    let found = strike::find(visit.read(), visit.guild.guild_id, visit.param("strike")?).await?;
    found.filter(|row| sees_all(visit) || row.staff_id == own(visit)).ok_or(PageError::NotFound)
}

pub(crate) async fn one(visit: GuildVisit) -> Result<Response, PageError> {
    let row = find(&visit).await?;
    let (severity, until) = (row.severity.to_string(), days::last_day(row.expires_at, days::zone(&visit)));
    let fields = [("reason", row.reason.as_str()), ("severity", &severity), ("expires_at", &until)];
    let form = Form::new(Fields::of(&fields));
    show_one(&visit, form, row).await
}

async fn show_one(visit: &GuildVisit, form: Form, row: Model) -> Result<Response, PageError> {
    let may_write = decides(visit, row.staff_id);
    let row = shown(visit, vec![row]).await?.pop().ok_or(PageError::NotFound)?;
    let page = StrikePage {
        shell: visit.shell(&format!("Strike {}", row.id), Place::Staff),
        url: visit.url("/staff/strikes"),
        may_write,
        zone: visit.guild.time_zone.clone(),
        row,
        form,
    };
    Ok(Response::page(&page)?.status(page.form.status()))
}

/// What the API refused; of the last day only that it is over.
fn refused_change(form: &Fields, answer: &ApiAnswer) -> Form {
    match answer.field() {
        Some("expires_at") => Form::wrong(form, Some("expires_at"), "Choose a day that is not over."),
        _ => refused(form, answer),
    }
}

/// The form's fields for the API, or the form with its errors.
fn body(visit: &GuildVisit) -> Result<Map<String, Value>, Form> {
    let form = &visit.form;
    let mut body = form.json(&["staff_id", "reason"]);
    let severity = form.read::<i32>("severity").filter(|number| (1..=10).contains(number));
    let wrong = |field, text| Form::wrong(form, Some(field), text);
    let severity = severity.ok_or_else(|| wrong("severity", "Give a number from 1 to 10."))?;
    body.insert("severity".to_owned(), severity.into());
    if form.has("expires_at") {
        let end = days::end(form.text("expires_at"), days::zone(visit));
        let end = end.ok_or_else(|| wrong("expires_at", "Choose the last day on which it counts."))?;
        body.insert("expires_at".to_owned(), days::sent(end).into());
    }
    if !form.has("reason") {
        return Err(wrong("reason", "Enter a reason for the strike."));
    }
    Ok(body)
}

pub(crate) async fn add(visit: GuildVisit) -> Result<Response, PageError> {
    let staff = match named(&visit, &visit.form, "staff_id").await? {
        Ok(staff) => staff,
        Err(problem) => return show(&visit, Form::unresolved(&visit.form, "staff_id", problem)).await,
    };
    let mut body = match body(&visit) {
        Ok(body) => body,
        Err(form) => return show(&visit, form).await,
    };
    body.insert("staff_id".to_owned(), staff.to_string().into());
    let answer = visit.api(Method::POST, "/guilds/{g}/staff/strikes", body).await;
    if !answer.status.is_success() {
        return show(&visit, refused_change(&visit.form, &answer)).await;
    }
    let flash = Flash::new(format!("Strike given to {}.", name_of(&visit, staff).await?));
    Ok(Response::see(visit.url("/staff/strikes")).flash(flash))
}

pub(crate) async fn update(visit: GuildVisit) -> Result<Response, PageError> {
    let row = find(&visit).await?;
    let mut body = match body(&visit) {
        Ok(body) => body,
        Err(form) => return show_one(&visit, form, row).await,
    };
    body.remove("staff_id");
    if row.ended_how == Some(Ended::Removed) || is_same_day(&visit, &row) {
        body.remove("expires_at");
    }
    let path = format!("/guilds/{{g}}/staff/strikes/{}/update", row.strike_id);
    let answer = visit.api(Method::PATCH, &path, body).await;
    if !answer.status.is_success() {
        return show_one(&visit, refused_change(&visit.form, &answer), row).await;
    }
    let url = visit.url(&format!("/staff/strikes/{}", row.strike_id));
    let (severity, until) = (row.severity.to_string(), days::sent(row.expires_at));
    let before = [("reason", row.reason.as_str()), ("severity", &severity), ("expires_at", &until)];
    let flash = Flash::new(format!("Strike {} changed.", row.strike_id));
    Ok(Response::see(url.clone()).flash(flash.with_undo(Undo::new(url, &before))))
}

/// The form names the day that the strike has, or its exact time as an undo does: it stays.
fn is_same_day(visit: &GuildVisit, row: &Model) -> bool {
    let named = visit.form.text("expires_at");
    named == days::last_day(row.expires_at, days::zone(visit)) || named == days::sent(row.expires_at)
}

pub(crate) async fn remove(visit: GuildVisit) -> Result<Response, PageError> {
    let row = find(&visit).await?;
    let path = format!("/guilds/{{g}}/staff/strikes/{}", row.strike_id);
    let answer = visit.api(Method::PATCH, &path, Map::new()).await;
    if !answer.status.is_success() {
        return show_one(&visit, Form::wrong(&visit.form, None, &answer.message()), row).await;
    }
    let flash = Flash::new(format!("Strike removed from {}.", name_of(&visit, row.staff_id).await?));
    Ok(Response::see(visit.url("/staff/strikes")).flash(flash))
}
