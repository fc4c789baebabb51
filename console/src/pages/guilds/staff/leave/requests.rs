//! /console/guilds/:guild/staff/leave/requests: all requests for leave, also those that are decided.

use askama::Template;
use entities::leave_request::{self, Model, State};

use super::super::person::{STAFF_FIELD, asked};
use super::super::tabs::{Link, Tab, tabs};
use super::super::{Staff, sees_all};
use super::request::{Request, STATES};
use crate::html::form::Form;
use crate::html::list::{cut, page};
use crate::html::shell::{Place, Shell};
use crate::response::{PageError, Response};
use crate::visit::GuildVisit;

#[derive(Template)]
#[template(path = "guilds/staff/leave_requests.html")]
struct Page {
    shell: Shell,
    tabs: Vec<Link>,
    form: Form,
    url: String,
    sees_all: bool,
    zone: String,
    /// Value in the filter, and the word.
    states: Vec<(&'static str, &'static str)>,
    requests: Vec<Request>,
    more: Option<String>,
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    let (staff, form) = asked(&visit, Form::new(visit.query.clone())).await?;
    let mut rows: Vec<Model> = Vec::new();
    if form.problem_of(STAFF_FIELD).is_empty() {
        let filter = leave_request::Filter { staff, state: state(form.text("state")) };
        rows = leave_request::list(visit.read(), visit.guild.guild_id, filter, page(&visit)).await?;
    }
    let more = cut(&visit, &mut rows, |row| row.leave_request_id);
    let staff = Staff::read(&visit, rows.iter().map(|row| row.staff_id).collect()).await?;
    let page = Page {
        shell: visit.shell("Requests for leave", Place::Staff),
        tabs: tabs(&visit, Tab::Leave),
        url: visit.url("/staff/leave"),
        sees_all: sees_all(&visit),
        zone: visit.guild.time_zone.clone(),
        states: STATES.iter().map(|(_, value, _, word)| (*value, *word)).collect(),
        requests: rows.into_iter().map(|row| Request::new(&visit, &staff, row)).collect(),
        more,
        form,
    };
    Ok(Response::page(&page)?.status(page.form.status()))
}

fn state(value: &str) -> Option<State> {
    STATES.iter().find(|(_, known, ..)| *known == value).map(|(state, ..)| *state)
}
