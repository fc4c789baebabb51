//! /console/guilds/:guild/staff/roles: what staff of a role may do, in the console and in games.

use askama::Template;
use entities::{RoleId, staff_member, staff_role};
use http::Method;
use people::{ApiAnswer, labels};
use platforms::PlatformError;
use serde_json::{Map, Value};

use super::permissions::{Permission, in_console, in_games};
use crate::fields::Fields;
use crate::html::form::Form;
use crate::html::format::Count;
use crate::html::shell::{Place, Shell};
use crate::response::{Flash, PageError, Response, Undo};
use crate::visit::GuildVisit;

/// The field of the boxes for permissions in games.
const PLAY_FIELD: &str = "play_permissions";
/// The field for permissions in games without a box.
const MORE_PLAY_FIELD: &str = "more_play_permissions";
const FIELDS: [&str; 5] = ["role_id", "role_name", "permissions", PLAY_FIELD, MORE_PLAY_FIELD];

#[derive(Template)]
#[template(path = "guilds/staff/role.html")]
struct Page {
    shell: Shell,
    form: Form,
    url: String,
    /// The role that is edited; `None`: a new one.
    known: Option<Known>,
    /// Discord's roles that are not staff roles yet.
    offered: Vec<(RoleId, String)>,
    roles_problem: String,
    in_console: Vec<Permission>,
    in_games: Vec<Permission>,
}

struct Known {
    id: RoleId,
    name: String,
    held: bool,
    holders: Count<u64>,
}

pub(crate) async fn new(visit: GuildVisit) -> Result<Response, PageError> {
    let form = Form::new(visit.query.clone());
    show(&visit, form, None).await
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    let role = find(&visit, visit.param("role")?).await?.ok_or(PageError::NotFound)?;
    let form = Form::new(Fields::of(&pairs(&role.role_id.to_string(), &role)));
    show(&visit, form, Some(role)).await
}

async fn find(visit: &GuildVisit, role: RoleId) -> Result<Option<staff_role::Model>, PageError> {
    Ok(staff_role::find(visit.read(), visit.guild.guild_id, role).await?)
}

/// The fields of the form for a role as it is.
fn pairs<'r>(id: &'r str, role: &'r staff_role::Model) -> Vec<(&'r str, &'r str)> {
    let mut pairs = vec![("role_id", id), ("role_name", role.role_name.as_str())];
    pairs.extend(role.permissions.0.iter().map(|name| ("permissions", name.as_str())));
    pairs.extend(role.play_permissions.0.iter().map(|name| ("play_permissions", name.as_str())));
    pairs
}

async fn show(
    visit: &GuildVisit,
    form: Form,
    role: Option<staff_role::Model>,
) -> Result<Response, PageError> {
    let title = role.as_ref().map_or_else(|| "Add staff role".to_owned(), |role| role.role_name.clone());
    let known = match role {
        Some(role) => {
            let guild = visit.guild.guild_id;
            let holders = staff_member::count_with_role(visit.read(), guild, role.role_id).await?;
            let holders_said = Count(holders, "member");
            Some(Known { id: role.role_id, name: role.role_name, held: holders > 0, holders: holders_said })
        }
        None => None,
    };
    let offered = if known.is_none() { offered(visit).await? } else { Ok(Vec::new()) };
    let page = Page {
        shell: visit.shell(&title, Place::Staff),
        url: visit.url("/staff/roles"),
        known,
        roles_problem: offered.as_ref().err().map(ToString::to_string).unwrap_or_default(),
        offered: offered.unwrap_or_default(),
        in_console: in_console(&form),
        in_games: in_games(&form),
        form,
    };
    Ok(Response::page(&page)?.status(page.form.status()))
}

/// Highest first, as Discord shows them.
async fn offered(visit: &GuildVisit) -> Result<Result<Vec<(RoleId, String)>, PlatformError>, PageError> {
    let known = staff_role::list(visit.read(), visit.guild.guild_id).await?;
    let mut roles = match visit.platforms().chat.guild_overview(visit.call_context()).await {
        Ok(overview) => overview.roles,
        Err(error) => return Ok(Err(error)),
    };
    let everyone = visit.guild.guild_id.get();
    roles.retain(|role| role.id.get() != everyone && known.iter().all(|known| known.role_id != role.id));
    roles.sort_by_key(|role| std::cmp::Reverse(role.position));
    Ok(Ok(roles.into_iter().map(|role| (role.id, role.name)).collect()))
}

/// What the API refused of permissions in games was typed: those of the boxes are fine.
fn refused(form: &Fields, answer: &ApiAnswer) -> Form {
    match answer.field() {
        Some(PLAY_FIELD) if form.has(MORE_PLAY_FIELD) => {
            let text = answer.message();
            let own = format!("{}: ", labels::label(PLAY_FIELD));
            Form::wrong(form, Some(MORE_PLAY_FIELD), text.strip_prefix(&own).unwrap_or(&text))
        }
        _ => Form::refused(form, answer),
    }
}

/// Adds the role or replaces its permissions.
pub(crate) async fn put(visit: GuildVisit) -> Result<Response, PageError> {
    let Some(role) = visit.form.read::<RoleId>("role_id") else {
        return show(&visit, Form::wrong(&visit.form, Some("role_id"), "Choose a Discord role."), None).await;
    };
    let before = find(&visit, role).await?;
    let mut body = visit.form.json(&["role_name"]);
    body.insert("permissions".to_owned(), Value::from(visit.form.all("permissions")));
    let mut in_games = visit.form.all("play_permissions");
    for word in visit.form.text(MORE_PLAY_FIELD).split_whitespace() {
        if !in_games.contains(&word) {
            in_games.push(word);
        }
    }
    body.insert("play_permissions".to_owned(), Value::from(in_games));
    let answer = visit.api(Method::PUT, &format!("/guilds/{{g}}/staff/roles/{role}"), body).await;
    if !answer.status.is_success() {
        return show(&visit, refused(&visit.form, &answer), before).await;
    }
    let name = visit.form.text("role_name");
    let flash = match before {
        None => {
            let undo = Undo::new(visit.url(&format!("/staff/roles/{role}/remove")), &[]);
            Flash::new(format!("Staff role {name} added.")).with_undo(undo)
        }
        Some(before) => {
            let undo = Undo::new(visit.url("/staff/roles"), &pairs(&role.to_string(), &before));
            Flash::new(format!("Staff role {name} changed.")).with_undo(undo)
        }
    };
    Ok(Response::see(visit.url("/staff")).flash(flash))
}

pub(crate) async fn remove(visit: GuildVisit) -> Result<Response, PageError> {
    let role: RoleId = visit.param("role")?;
    let before = find(&visit, role).await?.ok_or(PageError::NotFound)?;
    let answer = visit.api(Method::DELETE, &format!("/guilds/{{g}}/staff/roles/{role}"), Map::new()).await;
    if !answer.status.is_success() {
        let form = Form::wrong(&Fields::of(&pairs(&role.to_string(), &before)), None, &answer.message());
        return show(&visit, form, Some(before)).await;
    }
    let undo = Undo::new(visit.url("/staff/roles"), &pairs(&role.to_string(), &before));
    let flash = Flash::new(format!("Staff role {} removed. The Discord role stays.", before.role_name));
    Ok(Response::see(visit.url("/staff")).flash(flash.with_undo(undo)))
}
