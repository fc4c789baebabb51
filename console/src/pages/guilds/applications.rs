//! /console/guilds/:guild/applications: panels, the applications to them, and their tickets.

mod panels;
pub(crate) mod submission;

use std::collections::HashMap;

use askama::Template;
use entities::application_search::{self, Filter, Stage};
use entities::{
    ChannelId, ChatId, Page as Rows, PanelId, Subject, SubmissionId, application_panel,
    application_submission, staff_role, ticket,
};
use http::Method;
use people::Needs;
use serde_json::Value;

use crate::html::form::Form;
use crate::html::format::When;
use crate::html::shell::{Place, Shell};
use crate::pages::guilds::people::{People, Who};
use crate::pages::guilds::typed::chat_of;
use crate::response::{Flash, PageError, Response};
use crate::visit::GuildVisit;

/// The field of the filter by person.
const APPLICANT: &str = "applicant";
const FIELDS: [&str; 4] = [APPLICANT, "name", "category_id", "staff_role_ids"];
/// Value in the filter, word, and meaning.
const STAGES: [(&str, &str, Stage); 3] = [
    ("new", "New", Stage::New),
    ("creating", "Ticket not open yet", Stage::Ticket(ticket::State::Creating)),
    ("open", "Ticket open", Stage::Ticket(ticket::State::Open)),
];
/// Rows of a list.
const ROWS: usize = 50;

#[derive(Template)]
#[template(path = "guilds/applications/list.html")]
struct Page {
    shell: Shell,
    form: Form,
    url: String,
    admin: bool,
    chosen: Option<PanelId>,
    /// Value in the filter, and the word.
    states: [(&'static str, &'static str); 3],
    filtered: bool,
    panels: Vec<panels::Panel>,
    roles: Vec<staff_role::Model>,
    rows: Vec<Row>,
    more: Option<String>,
}

struct Row {
    id: SubmissionId,
    panel: String,
    who: Who,
    sent: When,
    ticket: Ticket,
}

/// The ticket of a submission: its state, and its Discord channel.
struct Ticket {
    state: (&'static str, &'static str),
    channel: Option<String>,
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    let form = Form::new(visit.query.clone());
    show(&visit, form).await
}

async fn show(visit: &GuildVisit, form: Form) -> Result<Response, PageError> {
    let (conn, guild) = (visit.read(), visit.guild.guild_id);
    let chosen: Option<PanelId> = visit.query.read("panel");
    let rows = Rows { cursor: visit.query.read("cursor"), limit: ROWS as u64 + 1 };
    let (applicant, form) = applicant(visit, form).await?;
    let stage = STAGES.iter().find(|(value, ..)| *value == visit.query.text("state"));
    let filter = Filter { panel: chosen, applicant, stage: stage.map(|(_, _, stage)| *stage) };
    let mut rows = match form.problem_of(APPLICANT) {
        "" => application_search::search(conn, guild, filter, rows).await?,
        _ => Vec::new(),
    };
    let more =
        (rows.len() > ROWS).then(|| visit.query.with("cursor", &rows[ROWS - 1].submission_id.to_string()));
    rows.truncate(ROWS);
    let panels = application_panel::list(conn, guild).await?;
    let roles = staff_role::list(conn, guild).await?;
    let page = Page {
        shell: visit.shell("Applications", Place::Applications),
        url: visit.url("/applications"),
        admin: visit.rights.may(Needs::Admin),
        chosen,
        states: STAGES.map(|(value, word, _)| (value, word)),
        filtered: ["panel", "state", APPLICANT].iter().any(|name| visit.query.has(name)),
        rows: submissions(visit, rows, &panels).await?,
        panels: panels.into_iter().map(|panel| panels::shown(panel, &roles)).collect(),
        roles,
        more,
        form,
    };
    Ok(Response::page(&page)?.status(page.form.status()))
}

/// The filter by applicant: all (`None`), or the person that the filter names.
async fn applicant(visit: &GuildVisit, form: Form) -> Result<(Option<ChatId>, Form), PageError> {
    if !visit.query.has(APPLICANT) {
        return Ok((None, form));
    }
    Ok(match chat_of(visit, &visit.query, APPLICANT).await? {
        Ok(chat) => (Some(chat), form),
        Err(problem) => (None, Form::unresolved(&visit.query, APPLICANT, problem)),
    })
}

async fn submissions(
    visit: &GuildVisit,
    rows: Vec<application_submission::Model>,
    panels: &[application_panel::Model],
) -> Result<Vec<Row>, PageError> {
    let people =
        People::read(visit, rows.iter().map(|row| Subject::Chat(row.chat_id)).collect::<Vec<_>>()).await?;
    let ids: Vec<_> = rows.iter().map(|row| row.submission_id).collect();
    let tickets = ticket::of_submissions(visit.read(), visit.guild.guild_id, &ids).await?;
    let tickets: HashMap<_, _> = tickets.into_iter().map(|ticket| (ticket.submission_id, ticket)).collect();
    let row = |row: application_submission::Model| Row {
        id: row.submission_id,
        panel: panel_name(panels, row.panel_id),
        who: people.who(visit, Subject::Chat(row.chat_id)),
        sent: visit.when(row.created_at),
        ticket: Ticket::of(visit, tickets.get(&row.submission_id)),
    };
    Ok(rows.into_iter().map(row).collect())
}

fn panel_name(panels: &[application_panel::Model], id: PanelId) -> String {
    let panel = panels.iter().find(|panel| panel.panel_id == id);
    panel.map_or_else(|| id.to_string(), |panel| panel.name.clone())
}

impl Ticket {
    fn of(visit: &GuildVisit, row: Option<&ticket::Model>) -> Self {
        let state = match row.map(|row| row.state) {
            None => ("info", "new"),
            Some(ticket::State::Creating) => ("warning", "ticket not open yet"),
            Some(ticket::State::Open) => ("good", "ticket open"),
        };
        Self { state, channel: row.and_then(|row| row.channel_id).map(|channel| in_discord(visit, channel)) }
    }
}

/// The address of a channel in Discord.
fn in_discord(visit: &GuildVisit, channel: ChannelId) -> String {
    format!("https://discord.com/channels/{}/{channel}", visit.guild.guild_id)
}

/// Adds a panel.
pub(crate) async fn add(visit: GuildVisit) -> Result<Response, PageError> {
    if !visit.form.has("name") {
        let form = Form::wrong(&visit.form, Some("name"), "Enter what people apply for.");
        return show(&visit, form).await;
    }
    let mut body = visit.form.json(&["name", "category_id"]);
    // Without a choice all staff see the tickets.
    let roles = visit.form.all("staff_role_ids");
    if !roles.is_empty() {
        body.insert("staff_role_ids".to_owned(), Value::from(roles));
    }
    let answer = visit.api(Method::POST, "/guilds/{g}/application-panels", body).await;
    if !answer.status.is_success() {
        return show(&visit, Form::refused(&visit.form, &answer)).await;
    }
    let flash = Flash::new(format!("Panel {} added.", visit.form.text("name")));
    Ok(Response::see(visit.url("/applications")).flash(flash))
}
