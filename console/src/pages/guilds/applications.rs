//! /console/guilds/:guild/applications: panels, the applications to them, and their tickets.

pub(crate) mod panel;
mod panel_form;
mod panels;
pub(crate) mod submission;

use std::collections::HashMap;

use askama::Template;
use entities::application_search::{self, Stage};
use entities::application_submission::{self, Filter, State};
use entities::{
    ChannelId, ChatId, Page as Rows, PanelId, Subject, SubmissionId, application_panel, staff_role, ticket,
};
use people::Needs;

use crate::html::form::Form;
use crate::html::format::When;
use crate::html::shell::{Place, Shell};
use crate::pages::guilds::people::{People, Who};
use crate::pages::guilds::typed::chat_of;
use crate::response::{PageError, Response};
use crate::visit::GuildVisit;

/// The field of the filter by person.
const APPLICANT: &str = "applicant";
/// Value in the filter, word, and meaning.
const STATES: [(&str, &str, State); 3] = [
    ("open", "Open", State::Open),
    ("accepted", "Accepted", State::Accepted),
    ("refused", "Refused", State::Refused),
];
/// The same for tickets.
const TICKETS: [(&str, &str, Stage); 3] = [
    ("none", "No ticket", Stage::None),
    ("creating", "Not open yet", Stage::Ticket(ticket::State::Creating)),
    ("open", "Open", Stage::Ticket(ticket::State::Open)),
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
    tickets: [(&'static str, &'static str); 3],
    filtered: bool,
    panels: Vec<panels::Panel>,
    rows: Vec<Row>,
    more: Option<String>,
}

struct Row {
    id: SubmissionId,
    panel: String,
    who: Who,
    sent: When,
    state: Mark,
    ticket: Ticket,
}

/// A meaning, and a word.
type Mark = (&'static str, &'static str);

fn mark(state: State) -> Mark {
    match state {
        State::Open => ("info", "open"),
        State::Accepted => ("good", "accepted"),
        State::Refused => ("bad", "refused"),
    }
}

/// The ticket of a submission: its state, and its Discord channel.
struct Ticket {
    state: Mark,
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
    let state = STATES.iter().find(|(value, ..)| *value == visit.query.text("state"));
    let stage = TICKETS.iter().find(|(value, ..)| *value == visit.query.text("ticket"));
    let stage = stage.map(|(.., stage)| *stage);
    let filter = Filter { panel: chosen, applicant, state: state.map(|(.., state)| *state) };
    let mut rows = match form.problem_of(APPLICANT) {
        "" => application_search::search(conn, guild, filter, stage, rows).await?,
        _ => Vec::new(),
    };
    let more =
        (rows.len() > ROWS).then(|| visit.query.with("cursor", &rows[ROWS - 1].submission_id.to_string()));
    rows.truncate(ROWS);
    let mut panels = application_panel::list_all(conn, guild).await?;
    let rows = submissions(visit, rows, &panels).await?;
    panels.retain(|panel| panel.removed_at.is_none());
    let roles = staff_role::list(conn, guild).await?;
    let page = Page {
        shell: visit.shell("Applications", Place::Applications),
        url: visit.url("/applications"),
        admin: visit.rights.may(Needs::Admin),
        chosen,
        states: STATES.map(|(value, word, _)| (value, word)),
        tickets: TICKETS.map(|(value, word, _)| (value, word)),
        filtered: ["panel", "state", "ticket", APPLICANT].iter().any(|name| visit.query.has(name)),
        rows,
        panels: panels::shown(visit, panels, &roles).await,
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
        state: mark(row.state),
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
            None => ("quiet", "no ticket"),
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
