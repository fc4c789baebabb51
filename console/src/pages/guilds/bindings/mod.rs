//! /console/guilds/:guild/bindings: which rank in a Roblox group gives which Discord role.

use std::collections::BTreeMap;

use askama::Template;
use entities::{BindingId, GroupId, RoleId, binding};
use http::{Method, StatusCode};
use platforms::{GuildOverview, PlatformError};
use serde_json::Map;

use crate::answer::{Answer, PageError};
use crate::cookies::{Said, Undo};
use crate::form::Form;
use crate::shell::{Place, Shell};
use crate::visit::GuildVisit;
use crate::words::When;

const FIELDS: [&str; 3] = ["group_id", "rank", "role_id"];

#[derive(Template)]
#[template(path = "guilds/bindings.html")]
struct Page {
    shell: Shell,
    form: Form,
    action: String,
    may_write: bool,
    groups: Vec<Group>,
    /// To choose from; empty: Discord does not answer.
    roles: Vec<RoleOption>,
    roles_problem: Option<String>,
    total: usize,
}

/// The bindings of one group.
struct Group {
    id: GroupId,
    rows: Vec<Row>,
}

struct Row {
    id: BindingId,
    rank: i32,
    role: RoleId,
    role_name: String,
    /// Why the bot cannot grant the role; empty: it can.
    problem: String,
    added: When,
}

struct RoleOption {
    id: RoleId,
    name: String,
    /// Why it cannot be chosen; empty: it can.
    problem: String,
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Answer, PageError> {
    let chosen = Form::new(visit.query.clone());
    show(&visit, chosen).await
}

async fn show(visit: &GuildVisit, form: Form) -> Result<Answer, PageError> {
    let rows = binding::list(visit.read(), visit.guild.guild_id).await?;
    let overview = visit.platforms().chat.guild_overview(visit.platform()).await;
    let total = rows.len();
    let page = Page {
        shell: visit.shell("Bindings", Place::Bindings),
        action: visit.url("/bindings"),
        may_write: visit.may("bindings.write"),
        groups: grouped(visit, rows, overview.as_ref().ok()),
        roles: overview.as_ref().map(|overview| options(visit, overview)).unwrap_or_default(),
        roles_problem: overview.as_ref().err().map(PlatformError::to_string),
        total,
        form,
    };
    let status = if page.form.is_refused() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    Ok(Answer::page(&page)?.status(status))
}

fn grouped(visit: &GuildVisit, rows: Vec<binding::Model>, overview: Option<&GuildOverview>) -> Vec<Group> {
    let mut groups: BTreeMap<GroupId, Vec<Row>> = BTreeMap::new();
    for row in rows {
        let (role_name, problem) = match overview {
            Some(overview) => described(visit, overview, row.role_id),
            None => (row.role_id.to_string(), String::new()),
        };
        let added = visit.when(row.created_at);
        let shown = Row { id: row.binding_id, rank: row.rank, role: row.role_id, role_name, problem, added };
        groups.entry(row.group_id).or_default().push(shown);
    }
    let mut groups: Vec<_> = groups.into_iter().map(|(id, rows)| Group { id, rows }).collect();
    groups.iter_mut().for_each(|group| group.rows.sort_by_key(|row| std::cmp::Reverse(row.rank)));
    groups
}

/// Name and problem of a role.
fn described(visit: &GuildVisit, overview: &GuildOverview, role: RoleId) -> (String, String) {
    let name = overview.role(role).map_or_else(|| role.to_string(), |role| role.name.clone());
    let allowed = &visit.guild.allowed_privileged_roles.0;
    (name, overview.grantable(role, allowed).err().map(|problem| problem.to_string()).unwrap_or_default())
}

/// Highest first, as the chat platform shows them.
fn options(visit: &GuildVisit, overview: &GuildOverview) -> Vec<RoleOption> {
    let mut roles: Vec<_> =
        overview.roles.iter().filter(|role| role.id.get() != visit.guild.guild_id.get()).collect();
    roles.sort_by_key(|role| std::cmp::Reverse(role.position));
    let option = |role: &platforms::ChatRole| {
        let (name, problem) = described(visit, overview, role.id);
        RoleOption { id: role.id, name, problem }
    };
    roles.into_iter().map(option).collect()
}

pub(crate) async fn add(visit: GuildVisit) -> Result<Answer, PageError> {
    let mut body = visit.form.json(&FIELDS);
    body.insert("type".to_owned(), "group_rank".into());
    if let Some(rank) = visit.form.read::<i64>("rank") {
        body.insert("rank".to_owned(), rank.into());
    }
    let answer = visit.api(Method::POST, "/bindings/add", body).await;
    if !answer.status.is_success() {
        return show(&visit, Form::refused(&visit.form, &answer)).await;
    }
    let undo = Undo::new(visit.url(&format!("/bindings/{}/remove", answer.body["data"]["id"])), &[]);
    Ok(Answer::see(visit.url("/bindings")).saying(Said::new("Binding added.").with_undo(undo)))
}

pub(crate) async fn remove(visit: GuildVisit) -> Result<Answer, PageError> {
    let id: BindingId = visit.param("binding")?;
    let rows = binding::list(visit.read(), visit.guild.guild_id).await?;
    let row = rows.iter().find(|row| row.binding_id == id).ok_or(PageError::NotFound)?;
    let answer = visit.api(Method::DELETE, &format!("/bindings/remove/{id}"), Map::new()).await;
    if !answer.status.is_success() {
        return show(&visit, Form::refused(&visit.form, &answer)).await;
    }
    let (group, rank, role) = (row.group_id.to_string(), row.rank.to_string(), row.role_id.to_string());
    let again = [("group_id", group.as_str()), ("rank", &rank), ("role_id", &role)];
    let said = Said::new("Binding removed. Members keep the role until the next sync.");
    Ok(Answer::see(visit.url("/bindings")).saying(said.with_undo(Undo::new(visit.url("/bindings"), &again))))
}
