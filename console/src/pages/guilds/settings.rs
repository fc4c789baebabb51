//! /console/guilds/:guild/settings: all settings of the guild as one form.

mod changes;
mod form;
mod linking;

use askama::Template;
use entities::guild::Accent;
use entities::guild::grants::Grants;
use entities::link;
use http::Method;
use people::labels::capital;
use platforms::{GuildOverview, NameWords, PlatformError, RoleProblem, nickname};

use crate::fields::Fields;
use crate::html::choice::Choice;
use crate::html::form::Form;
use crate::html::shell::{Place, Shell};
use crate::response::{Flash, PageError, Response, Undo};
use crate::visit::GuildVisit;
use changes::{Changes, LOADED, UNDO};
pub(super) use form::{BOXES, FIELDS, POWERFUL};

/// Members that the preview of nicknames names.
const EXAMPLES: u64 = 3;
const DAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

#[derive(Template)]
#[template(path = "guilds/settings.html")]
struct Page {
    shell: Shell,
    url: String,
    may_write: bool,
    /// The viewer may decide which powerful roles Guildhall may give.
    administrates: bool,
    form: Form,
    /// The fields that carry the values with which the form was loaded.
    loaded: Vec<(String, String)>,
    /// Names of members before and after the template.
    examples: Vec<(String, String)>,
    zones: Vec<&'static str>,
    days: [&'static str; 7],
    /// Types of actions, their words, and the points where the field is empty.
    weights: Vec<(&'static str, &'static str, i64)>,
    ways: Vec<Choice>,
    /// What to do with somebody on a list.
    verdicts: Vec<Choice>,
    /// For linked and for unlinked members.
    link_roles: Vec<Choice>,
    notices: Vec<Choice>,
    channels: Vec<Choice>,
    accents: Vec<Choice>,
    /// Lists of roles by which syncs spare members: field, legend and hint.
    sparing: [(&'static str, &'static str, &'static str); 3],
    sparing_roles: Vec<Choice>,
    roles: Vec<Role>,
    roles_problem: String,
}

/// A role that Guildhall gives only if the guild allows it.
struct Role {
    id: String,
    name: String,
    /// The most powerful of its permissions; empty: it no longer has one, or is unknown.
    permission: String,
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    let stored = form::filled(&visit.guild.settings(), visit.rights.administrates);
    show(&visit, Form::new(changes::filled(&stored, &stored))).await
}

async fn show(visit: &GuildVisit, form: Form) -> Result<Response, PageError> {
    let (chat, call) = (&visit.platforms().chat, visit.call_context());
    let (overview, channels) = tokio::join!(chat.guild_overview(call), chat.text_channels(call));
    let page = Page {
        shell: visit.shell("Settings", Place::Settings),
        url: visit.url("/settings"),
        may_write: visit.may("settings.write"),
        administrates: visit.rights.administrates,
        examples: examples(visit, form.text("nickname_template")).await?,
        zones: chrono_tz::TZ_VARIANTS.iter().map(|zone| zone.name()).collect(),
        days: DAYS,
        weights: form::labelled_weights().collect(),
        ways: linking::ways(),
        verdicts: linking::verdicts(),
        link_roles: linking::roles(visit, overview.as_ref().ok(), &form),
        notices: linking::notices(),
        accents: Accent::ALL
            .iter()
            .map(|accent| Choice::new(accent.name().to_owned(), &capital(accent.name())))
            .collect(),
        channels: linking::channels(&channels.unwrap_or_default(), &form),
        sparing: linking::SPARING,
        sparing_roles: linking::sparing(visit, overview.as_ref().ok(), &form),
        roles: roles(visit, overview.as_ref().ok()),
        loaded: loaded(&form),
        roles_problem: overview.as_ref().err().map(PlatformError::to_string).unwrap_or_default(),
        form,
    };
    Ok(Response::page(&page)?.status(page.form.status()))
}

async fn examples(visit: &GuildVisit, template: &str) -> Result<Vec<(String, String)>, PageError> {
    let links = link::range(visit.read(), visit.guild.guild_id, None, None, EXAMPLES).await?;
    let filled = |link: link::Model| {
        let words = NameWords {
            play_username: &link.play_username,
            // As good an example as the real ones, which need calls for each member.
            play_display_name: Some(&link.play_username),
            play_id: link.play_id,
            chat_username: "discord_name",
            rank: None,
        };
        let nickname = nickname(template, &words);
        (link.play_username, nickname.unwrap_or_else(|| "left alone".to_owned()))
    };
    Ok(links.into_iter().map(filled).collect())
}

/// Roles with a privileged permission, and those that are allowed already.
fn roles(visit: &GuildVisit, overview: Option<&GuildOverview>) -> Vec<Role> {
    let allowed = &visit.guild.allowed_privileged_roles.0;
    let known = overview.map(|overview| overview.roles.as_slice()).unwrap_or_default();
    let mut roles = Vec::new();
    for role in known.iter().filter(|role| role.id.get() != visit.guild.guild_id.get()) {
        let permission = match role.check_privileges(&Grants::default()) {
            Err(RoleProblem::Privileged(name)) => name.to_owned(),
            _ if visit.grants.make_staff(role.id) => "makes staff".to_owned(),
            _ if allowed.contains(&role.id) => String::new(),
            _ => continue,
        };
        roles.push(Role { id: role.id.to_string(), name: role.name.clone(), permission });
    }
    let lost = allowed.iter().filter(|id| !known.iter().any(|role| role.id == **id));
    roles.extend(lost.map(|id| Role { id: id.to_string(), name: id.to_string(), permission: String::new() }));
    roles
}

fn loaded(form: &Form) -> Vec<(String, String)> {
    let fields = form.fields().pairs().into_iter().filter(|(name, _)| name.starts_with(LOADED));
    fields.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// Saves what the person has changed in the form, or previews its nickname template.
pub(crate) async fn post(visit: GuildVisit) -> Result<Response, PageError> {
    let fields = &visit.form;
    if fields.has("preview") {
        return show(&visit, Form::new(fields.clone())).await;
    }
    let powerful = visit.rights.administrates;
    let before = form::filled(&visit.guild.settings(), powerful);
    let mut changes = Changes::of(fields, &before);
    let left = if fields.has(UNDO) { changes.yield_contested() } else { Vec::new() };
    if let Some(form) = changes.conflict(fields, &before) {
        return show(&visit, form).await;
    }
    let wanted = changes.applied(fields, &before);
    let body = form::body_of(&wanted, &changes.mine, powerful);
    let answer = visit.api(Method::PATCH, "/guilds/{g}/settings", body).await;
    if !answer.status.is_success() {
        return show(&visit, Form::refused(&changes::filled(&wanted, &before), &answer)).await;
    }
    let after = serde_json::from_value(answer.body["data"].clone()).map_err(PageError::internal)?;
    let flash = saved(&visit, &changes.mine, &left, &before, &form::filled(&after, powerful));
    Ok(Response::see(visit.url("/settings")).flash(flash))
}

/// An Undo puts back these fields alone, and leaves those that somebody else has changed since.
fn saved(visit: &GuildVisit, changed: &[String], left: &[String], before: &Fields, after: &Fields) -> Flash {
    let text = match (changed, left) {
        (_, []) => "Settings saved.".to_owned(),
        ([], _) => format!("Nothing was undone. Somebody else has changed this since: {}.", left.join(", ")),
        _ => {
            format!("Settings saved. Somebody else has changed this since, so it stays: {}.", left.join(", "))
        }
    };
    if changed.is_empty() {
        return Flash::new(text);
    }
    let undo = changes::filled(&before.only(changed), &after.only(changed)).and(UNDO, "yes");
    Flash::new(text).with_undo(Undo::new(visit.url("/settings"), &undo.pairs()))
}
