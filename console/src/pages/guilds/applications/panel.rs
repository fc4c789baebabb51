//! /console/guilds/:guild/applications/panels/:panel: one panel, what it asks, where it is posted.

use askama::Template;
use entities::application_panel::{self, Model};
use entities::application_submission::{self, Filter, State};
use entities::{ChannelId, Page as Part, PanelId, staff_role};
use http::Method;
use platforms::PlatformError;
use serde_json::Map;

use super::panel_form::{self, FIELDS, Row};
use crate::html::choice::Choice;
use crate::html::form::Form;
use crate::html::format::Count;
use crate::html::shell::{Place, Shell};
use crate::pages::guilds::bindings::rows::{RoleOption, options};
use crate::response::{Flash, PageError, Response};
use crate::visit::GuildVisit;

/// Open applications that are counted at most.
const COUNTED_MAX: u64 = 100;

#[derive(Template)]
#[template(path = "guilds/applications/panel.html")]
struct Page {
    shell: Shell,
    form: Form,
    /// Of the list.
    url: String,
    /// `None`: a new panel.
    known: Option<Known>,
    questions: Vec<Row>,
    /// Members can sign in where they apply.
    has_page: bool,
    kinds: Vec<(&'static str, &'static str)>,
    categories: Vec<Choice>,
    accept_roles: Vec<Choice>,
    staff_roles: Vec<staff_role::Model>,
    /// Text channels in which it can be posted.
    channels: Vec<Choice>,
    /// Why Discord does not say which channels and roles there are; empty: it does.
    problem: String,
}

struct Known {
    id: PanelId,
    name: String,
    /// Applications that are not decided.
    open: Count<u64>,
    /// The path of its page for members, and the whole address.
    page: (String, String),
}

pub(crate) async fn new(visit: GuildVisit) -> Result<Response, PageError> {
    show(&visit, None, Form::new(panel_form::empty())).await
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    let panel = find(&visit).await?;
    let form = Form::new(panel_form::of(&panel));
    show(&visit, Some(panel), form).await
}

async fn find(visit: &GuildVisit) -> Result<Model, PageError> {
    let found = application_panel::find(visit.read(), visit.guild.guild_id, visit.param("panel")?).await?;
    found.and_then(Model::present).ok_or(PageError::NotFound)
}

async fn show(visit: &GuildVisit, panel: Option<Model>, form: Form) -> Result<Response, PageError> {
    let (chat, call) = (&visit.platforms().chat, visit.call_context());
    let (found, overview) = (chat.categories(call).await, chat.guild_overview(call).await);
    let problem = found.as_ref().err().or(overview.as_ref().err());
    let problem = problem.map(PlatformError::to_string).unwrap_or_default();
    let mut categories = vec![Choice::new(String::new(), "No category")];
    let known = found.unwrap_or_default().into_iter();
    categories.extend(known.map(|(id, name)| Choice::new(id.to_string(), &name)));
    let mut accept_roles = vec![Choice::new(String::new(), "No role")];
    let roles = overview.as_ref().map(|overview| options(visit, overview)).unwrap_or_default();
    accept_roles.extend(roles.into_iter().map(RoleOption::choice));
    for (choices, field) in [(&mut categories, "category_id"), (&mut accept_roles, "accept_role_id")] {
        Choice::keep(choices, form.text(field), form.text(field));
    }
    let title = panel.as_ref().map_or_else(|| "New panel".to_owned(), |panel| panel.name.clone());
    let (known, channels) = match panel {
        Some(panel) => {
            let channels = chat.text_channels(call).await.unwrap_or_default();
            (Some(Known::read(visit, panel).await?), channels.iter().map(Choice::of_channel).collect())
        }
        None => (None, Vec::new()),
    };
    let page = Page {
        shell: visit.shell(&title, Place::Applications),
        url: visit.url("/applications"),
        known,
        channels,
        questions: panel_form::rows(&form),
        has_page: visit.console.ways_in.public_url.is_some() && visit.platforms().sign_in.is_some(),
        kinds: panel_form::kinds(),
        categories,
        accept_roles,
        staff_roles: staff_role::list(visit.read(), visit.guild.guild_id).await?,
        problem,
        form,
    };
    Ok(Response::page(&page)?.status(page.form.status()))
}

impl Known {
    async fn read(visit: &GuildVisit, panel: Model) -> Result<Self, PageError> {
        let filter = Filter { panel: Some(panel.panel_id), state: Some(State::Open), ..Filter::default() };
        let (conn, guild) = (visit.read(), visit.guild.guild_id);
        let open = application_submission::list(conn, guild, filter, Part::first(COUNTED_MAX)).await?.len();
        let page = format!("/apply/{guild}/{}", panel.panel_id);
        let page = (page.clone(), format!("{}{page}", visit.address()));
        Ok(Self { id: panel.panel_id, name: panel.name, page, open: Count(open as u64, "open application") })
    }
}

fn unnamed(visit: &GuildVisit) -> Option<Form> {
    let wrong = || Form::wrong(&visit.form, Some("name"), "Enter what people apply for.");
    (!visit.form.has("name")).then(wrong)
}

/// Adds a panel.
pub(crate) async fn add(visit: GuildVisit) -> Result<Response, PageError> {
    if let Some(form) = unnamed(&visit) {
        return show(&visit, None, form).await;
    }
    let body = panel_form::body(&visit.form);
    let answer = visit.api(Method::POST, "/guilds/{g}/application-panels", body).await;
    if !answer.status.is_success() {
        return show(&visit, None, panel_form::refused(&visit.form, &answer)).await;
    }
    let text =
        format!("Panel {} added. Post it in a channel, so that people find it.", visit.form.text("name"));
    let to = visit.url(&format!("/applications/panels/{}", answer.body["data"]["panel_id"]));
    Ok(Response::see(to).flash(Flash::new(text)))
}

pub(crate) async fn update(visit: GuildVisit) -> Result<Response, PageError> {
    let panel = find(&visit).await?;
    if let Some(form) = unnamed(&visit) {
        return show(&visit, Some(panel), form).await;
    }
    let path = format!("/guilds/{{g}}/application-panels/{}", panel.panel_id);
    let answer = visit.api(Method::PATCH, &path, panel_form::body(&visit.form)).await;
    if !answer.status.is_success() {
        return show(&visit, Some(panel), panel_form::refused(&visit.form, &answer)).await;
    }
    let to = visit.url(&format!("/applications/panels/{}", panel.panel_id));
    Ok(Response::see(to).flash(Flash::new(format!("Panel {} saved.", visit.form.text("name")))))
}

pub(crate) async fn remove(visit: GuildVisit) -> Result<Response, PageError> {
    let panel = find(&visit).await?;
    let path = format!("/guilds/{{g}}/application-panels/{}", panel.panel_id);
    let answer = visit.api(Method::DELETE, &path, Map::new()).await;
    if !answer.status.is_success() {
        let form = Form::refused(&panel_form::of(&panel), &answer);
        return show(&visit, Some(panel), form).await;
    }
    let text = format!("Panel {} removed. Its applications stay.", panel.name);
    Ok(Response::see(visit.url("/applications")).flash(Flash::new(text)))
}

/// Posts the panel in a channel.
pub(crate) async fn publish(visit: GuildVisit) -> Result<Response, PageError> {
    let panel = find(&visit).await?;
    let mut fields = panel_form::of(&panel);
    fields = fields.and("channel_id", visit.form.text("channel_id"));
    if visit.form.read::<ChannelId>("channel_id").is_none() {
        let form = Form::wrong(&fields, Some("channel_id"), "Choose a channel.");
        return show(&visit, Some(panel), form).await;
    }
    let path = format!("/guilds/{{g}}/application-panels/{}/publish", panel.panel_id);
    let answer = visit.api(Method::POST, &path, visit.form.json(&["channel_id"])).await;
    if !answer.status.is_success() {
        return show(&visit, Some(panel), Form::refused(&fields, &answer)).await;
    }
    let text = match answer.body["data"]["job_id"].as_str() {
        None => format!("{} is posted: people apply with its button.", panel.name),
        Some(_) => format!("{} is being posted.", panel.name),
    };
    let to = visit.url(&format!("/applications/panels/{}", panel.panel_id));
    Ok(Response::see(to).flash(Flash::new(text)))
}
