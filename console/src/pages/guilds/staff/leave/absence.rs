//! /console/guilds/:guild/staff/leave/:leave: one leave, with its days and reason to change.

use askama::Template;
use entities::LoaId;
use entities::loa::{self, Model};
use http::Method;
use serde_json::{Map, Value};

use super::super::{Staff, days, name_of};
use super::Row;
use super::form::{FIELDS, body, borrowed, fields};
use crate::fields::Fields;
use crate::html::form::Form;
use crate::html::shell::{Place, Shell};
use crate::response::{Flash, PageError, Response, Undo};
use crate::visit::GuildVisit;

#[derive(Template)]
#[template(path = "guilds/staff/absence.html")]
struct Page {
    shell: Shell,
    form: Form,
    url: String,
    zone: String,
    row: Row,
}

async fn find(visit: &GuildVisit) -> Result<Model, PageError> {
    let found = loa::find(visit.read(), visit.guild.guild_id, visit.param("leave")?).await?;
    found.ok_or(PageError::NotFound)
}

/// The fields of a form about this leave.
fn fields_of(visit: &GuildVisit, row: &Model) -> [(&'static str, String); 3] {
    fields(visit, (row.starts_at, row.ends_at), row.reason.clone())
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    let row = find(&visit).await?;
    let form = Form::new(Fields::of(&borrowed(&fields_of(&visit, &row))));
    show(&visit, form, row).await
}

async fn show(visit: &GuildVisit, form: Form, row: Model) -> Result<Response, PageError> {
    let staff = Staff::read(visit, vec![row.staff_id]).await?;
    let page = Page {
        shell: visit.shell(&format!("Leave {}", row.loa_id), Place::Staff),
        url: visit.url("/staff/leave"),
        zone: visit.guild.time_zone.clone(),
        row: Row::new(visit, &staff, row),
        form,
    };
    Ok(Response::page(&page)?.status(page.form.status()))
}

pub(crate) async fn update(visit: GuildVisit) -> Result<Response, PageError> {
    let row = find(&visit).await?;
    let body = match body(&visit, Some((row.starts_at, row.ends_at))) {
        Ok(body) => body,
        Err(form) => return show(&visit, form, row).await,
    };
    let fields = fields_of(&visit, &row);
    let undo = Undo::new(visit.url(&format!("/staff/leave/{}", row.loa_id)), &borrowed(&fields));
    let flash = Flash::new(format!("Leave of {} changed.", name_of(&visit, row.staff_id).await?));
    change(&visit, row, Method::PATCH, body, flash.with_undo(undo)).await
}

/// Back early: the leave ends now.
pub(crate) async fn end(visit: GuildVisit) -> Result<Response, PageError> {
    let undo = Undo::new(visit.url(&format!("/staff/leave/{}/resume", visit.param::<LoaId>("leave")?)), &[]);
    set_status(visit, "expired", Flash::new("Leave ended.").with_undo(undo)).await
}

pub(crate) async fn resume(visit: GuildVisit) -> Result<Response, PageError> {
    set_status(visit, "active", Flash::new("The leave goes on.")).await
}

async fn set_status(visit: GuildVisit, status: &str, flash: Flash) -> Result<Response, PageError> {
    let row = find(&visit).await?;
    let body = [("status".to_owned(), status.into())].into_iter().collect();
    change(&visit, row, Method::PATCH, body, flash).await
}

pub(crate) async fn remove(visit: GuildVisit) -> Result<Response, PageError> {
    let row = find(&visit).await?;
    let staff = row.staff_id.to_string();
    let (starts, until) = (days::sent(row.starts_at), days::sent(row.until()));
    let again =
        [("staff_id", staff.as_str()), ("starts_at", &starts), ("ends_at", &until), ("reason", &row.reason)];
    let mut flash = Flash::new("Leave deleted.");
    // One that never was is not entered again.
    if !row.is_cancelled() {
        flash = flash.with_undo(Undo::new(visit.url("/staff/leave"), &again));
    }
    change(&visit, row, Method::DELETE, Map::new(), flash).await
}

async fn change(
    visit: &GuildVisit,
    row: Model,
    method: Method,
    body: Map<String, Value>,
    flash: Flash,
) -> Result<Response, PageError> {
    let path = format!("/guilds/{{g}}/staff/loa/{}", row.loa_id);
    let answer = visit.api(method, &path, body).await;
    if !answer.status.is_success() {
        return show(visit, Form::refused(&visit.form, &answer), row).await;
    }
    Ok(Response::see(visit.back_to(&["/staff/leave"])).flash(flash))
}
