//! /console/guilds/:guild/staff: the members and roles of the staff.

use std::collections::BTreeMap;

use askama::Template;
use entities::staff_directory::{self, Described};
use entities::staff_role::CHAT_PERMISSIONS;
use entities::{ChatId, RoleId, staff_role};
use http::Method;
use people::Needs;
use serde_json::Map;

use super::person::matching;
use super::tabs::{Link, Tab, tabs};
use super::{Staff, days, name_of, own};
use crate::html::form::Form;
use crate::html::format::{Count, When};
use crate::html::list::{Column, columns, cut_whole, sorted_by};
use crate::html::shell::{Place, Shell};
use crate::pages::guilds::people::Who;
use crate::pages::guilds::typed::chat_of;
use crate::response::{Flash, PageError, Response, Undo};
use crate::visit::GuildVisit;

const FIELDS: [&str; 2] = ["chat_id", "role_id"];

#[derive(Template)]
#[template(path = "guilds/staff/members.html")]
struct Page {
    shell: Shell,
    tabs: Vec<Link>,
    form: Form,
    url: String,
    admin: bool,
    /// The viewer's own page, if they are staff.
    own: Option<String>,
    /// Holding a role makes staff.
    by_role: bool,
    /// Where that is set, for whom may set it.
    settings: Option<String>,
    on_duty: Count<u64>,
    /// The name or id to which the list is limited.
    searched: String,
    /// By name, role and day.
    columns: [Column; 3],
    is_sorted: bool,
    rows: Vec<Row>,
    more: Option<String>,
    roles: Vec<Role>,
}

struct Row {
    who: Who,
    role: String,
    by_role: bool,
    on_duty: bool,
    joined: When,
}

struct Role {
    id: RoleId,
    name: String,
    holders: Count<u64>,
    in_console: usize,
    in_games: usize,
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    let form = Form::new(visit.query.clone());
    show(&visit, form).await
}

async fn show(visit: &GuildVisit, form: Form) -> Result<Response, PageError> {
    let (conn, guild) = (visit.read(), visit.guild.guild_id);
    let mut members = staff_directory::list(conn, guild, visit.now()).await?;
    sort(visit, &mut members);
    let roles = staff_role::list(conn, guild).await?;
    let roles = roles_shown(&roles, &members);
    let on_duty = members.iter().filter(|member| member.on_duty).count() as u64;
    let is_staff = members.iter().any(|member| member.chat_id == own(visit));
    let searched = visit.query.text("q").to_owned();
    if !searched.is_empty() {
        let found = matching(visit, &members, &searched).await?;
        members.retain(|member| found.iter().any(|one| one.chat == member.chat_id));
    }
    let (_, more) = cut_whole(&visit.query, &mut members);
    let staff = Staff::read(visit, members.iter().map(|member| member.chat_id).collect()).await?;
    let page = Page {
        shell: visit.shell("Staff", Place::Staff),
        tabs: tabs(visit, Tab::Members),
        url: visit.url("/staff"),
        admin: visit.rights.may(Needs::Admin),
        own: is_staff.then(|| visit.url(&format!("/staff/{}", own(visit)))),
        by_role: visit.guild.staff_by_role,
        settings: visit.rights.administrates.then(|| visit.url("/settings#staff_by_role")),
        on_duty: Count(on_duty, "staff member"),
        searched,
        columns: columns(&visit.query, [("name", "Staff member"), ("role", "Role"), ("joined", "Joined")]),
        is_sorted: visit.query.has("sort"),
        rows: members.into_iter().map(|member| row(visit, &staff, member)).collect(),
        more,
        roles,
        form,
    };
    Ok(Response::page(&page)?.status(page.form.status()))
}

/// On duty first, then by role and name; or by a column.
fn sort(visit: &GuildVisit, members: &mut [Described]) {
    let name = |member: &Described| {
        let name = member.play_username.as_deref().map(str::to_lowercase);
        (name.is_none(), name, member.chat_id)
    };
    let (by, from_end) = sorted_by(&visit.query);
    match by {
        "name" => members.sort_by_cached_key(name),
        "role" => members.sort_by_cached_key(|member| (member.role_name.clone(), name(member))),
        "joined" => members.sort_by_key(|member| member.joined_at),
        _ => members.sort_by_cached_key(|member| (!member.on_duty, member.role_name.clone(), name(member))),
    }
    if from_end {
        members.reverse();
    }
}

fn row(visit: &GuildVisit, staff: &Staff, member: Described) -> Row {
    Row {
        who: staff.who(visit, member.chat_id),
        role: member.role_name,
        by_role: member.by_role,
        on_duty: member.on_duty,
        joined: visit.when(member.joined_at),
    }
}

fn roles_shown(roles: &[staff_role::Model], members: &[Described]) -> Vec<Role> {
    let mut holders: BTreeMap<RoleId, u64> = BTreeMap::new();
    for member in members {
        *holders.entry(member.role_id).or_default() += 1;
    }
    let shown = |role: &staff_role::Model| Role {
        id: role.role_id,
        name: role.role_name.clone(),
        holders: Count(holders.get(&role.role_id).copied().unwrap_or_default(), "member"),
        in_console: role.permissions.0.len(),
        in_games: role.play_permissions.0.len(),
    };
    roles.iter().map(shown).collect()
}

/// Makes a person staff, or gives a staff member another role.
pub(crate) async fn put(visit: GuildVisit) -> Result<Response, PageError> {
    let chat = match chat_of(&visit, &visit.form, "chat_id").await? {
        Ok(chat) => chat,
        Err(problem) => return show(&visit, Form::unresolved(&visit.form, "chat_id", problem)).await,
    };
    if !visit.form.has("role_id") {
        return show(&visit, Form::wrong(&visit.form, Some("role_id"), "Choose a staff role.")).await;
    }
    let before = staff_directory::find(visit.read(), visit.guild.guild_id, chat, visit.now()).await?;
    let body = visit.form.json(&["role_id", "joined_at"]);
    let answer = visit.api(Method::PUT, &format!("/guilds/{{g}}/staff/members/{chat}"), body).await;
    if !answer.status.is_success() {
        return show(&visit, Form::refused(&visit.form, &answer)).await;
    }
    let name = name_of(&visit, chat).await?;
    let flash = match before {
        None => {
            let undo = Undo::new(visit.url(&format!("/staff/{chat}/remove")), &[]);
            Flash::new(format!("{name} is now staff.")).with_undo(undo)
        }
        Some(before) => Flash::new(format!("{name} now has another role.")).with_undo(again(&visit, &before)),
    };
    Ok(Response::see(visit.url("/staff")).flash(flash))
}

/// The form that makes a person staff again.
fn again(visit: &GuildVisit, before: &Described) -> Undo {
    let (chat, role) = (before.chat_id.to_string(), before.role_id.to_string());
    let joined = days::sent(before.joined_at);
    Undo::new(visit.url("/staff"), &[("chat_id", &chat), ("role_id", &role), ("joined_at", &joined)])
}

pub(crate) async fn remove(visit: GuildVisit) -> Result<Response, PageError> {
    let chat: ChatId = visit.param("chat")?;
    let found = staff_directory::find(visit.read(), visit.guild.guild_id, chat, visit.now()).await?;
    let before = found.ok_or(PageError::NotFound)?;
    let answer = visit.api(Method::DELETE, &format!("/guilds/{{g}}/staff/members/{chat}"), Map::new()).await;
    if !answer.status.is_success() {
        return show(&visit, Form::refused(&visit.form, &answer)).await;
    }
    let text = format!("{} is no longer staff. Their records stay.", name_of(&visit, chat).await?);
    Ok(Response::see(visit.url("/staff")).flash(Flash::new(text).with_undo(again(&visit, &before))))
}
