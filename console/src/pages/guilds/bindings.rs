//! /console/guilds/:guild/bindings: who gets which Discord role, such as by a rank in a Roblox group.

pub(crate) mod binding;
mod form;
pub(super) mod rows;
mod test;

use std::sync::Arc;

use askama::Template;
use entities::binding::{self as bindings, Binding};
use entities::{BindingId, GroupId};
use http::Method;
use platforms::{GuildOverview, PlatformError};
use serde_json::Map;

use crate::html::form::Form;
use crate::html::shell::{Place, Shell};
use crate::platform_cache::groups;
use crate::response::{Flash, PageError, Response, Undo};
use crate::visit::GuildVisit;

use rows::{Group, RoleOption};
use test::Tested;

#[derive(Template)]
#[template(path = "guilds/bindings.html")]
struct Page {
    shell: Shell,
    form: Form,
    url: String,
    may_write: bool,
    groups: Vec<Group>,
    offer: Offer,
    tested: Option<Tested>,
}

/// What the fields of a binding are chosen from.
struct Offer {
    roles: Vec<RoleOption>,
    roles_problem: String,
    /// Fields with their errors beside them.
    shown: &'static [&'static str],
    /// Types of bindings, with their labels.
    types: Vec<(&'static str, &'static str)>,
    /// The group whose ranks the form offers.
    chosen: Option<Chosen>,
    chosen_problem: String,
}

struct Chosen {
    id: GroupId,
    group: Arc<groups::Group>,
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    let form = Form::new(visit.query.clone());
    show(&visit, form).await
}

async fn show(visit: &GuildVisit, form: Form) -> Result<Response, PageError> {
    let all = bindings::list(visit.read(), visit.guild.guild_id).await?;
    let overview = visit.platforms().chat.guild_overview(visit.call_context()).await;
    let page = Page {
        shell: visit.shell("Bindings", Place::Bindings),
        url: visit.url("/bindings"),
        may_write: visit.may("bindings.write"),
        offer: Offer::read(visit, overview.as_ref(), form.text("group_id"), &all).await,
        tested: test::run(visit, &all, overview.as_ref().ok()).await?,
        groups: rows::grouped(visit, all, overview.as_ref().ok()).await,
        form,
    };
    Ok(Response::page(&page)?.status(page.form.status()))
}

impl Offer {
    /// `typed` is the group; without one it is that of `all`, if they have one.
    async fn read(
        visit: &GuildVisit,
        overview: Result<&GuildOverview, &PlatformError>,
        typed: &str,
        all: &[Binding],
    ) -> Self {
        let (chosen, chosen_problem) = choose(visit, typed, all).await;
        Self {
            roles: overview.map(|overview| rows::options(visit, overview)).unwrap_or_default(),
            roles_problem: overview.err().map(PlatformError::to_string).unwrap_or_default(),
            shown: form::shown(chosen.is_some()),
            types: form::types(chosen.is_some()),
            chosen,
            chosen_problem,
        }
    }
}

/// The group whose ranks are offered, or the error of the input.
async fn choose(visit: &GuildVisit, typed: &str, all: &[Binding]) -> (Option<Chosen>, String) {
    let group = if typed.is_empty() { only_group(all) } else { group_in(typed) };
    let Some(id) = group else {
        let problem = "A group's number has digits only: roblox.com/communities/5000 is 5000. Give it, or the whole address.";
        return (None, if typed.is_empty() { String::new() } else { problem.to_owned() });
    };
    match visit.console.groups.find(visit.call_context(), id).await {
        Ok(group) => (Some(Chosen { id, group }), String::new()),
        Err(PlatformError::NotFound(_)) => (None, format!("Roblox has no group {id}.")),
        Err(error) => (None, format!("The group's ranks cannot be read: {error}.")),
    }
}

/// The group of all bindings, if there is one.
fn only_group(all: &[Binding]) -> Option<GroupId> {
    let mut groups = all.iter().filter_map(|binding| binding.rule.condition.group());
    let group = groups.next()?;
    groups.all(|other| other == group).then_some(group)
}

/// The number of a group, or the one in the address of its page.
fn group_in(typed: &str) -> Option<GroupId> {
    let mut parts =
        typed.split(['/', '?', '#']).skip_while(|part| !matches!(*part, "communities" | "groups"));
    parts.nth(1).unwrap_or(typed).parse().ok()
}

pub(crate) async fn add(visit: GuildVisit) -> Result<Response, PageError> {
    let answer = visit.api(Method::POST, "/bindings/add", form::body(&visit.form)).await;
    if !answer.status.is_success() {
        return show(&visit, Form::refused(&visit.form, &answer)).await;
    }
    let undo = Undo::new(visit.url(&format!("/bindings/{}/remove", answer.body["data"]["id"])), &[]);
    let flash = Flash::new("Binding added. The next sync gives the role to all members it is for.");
    Ok(Response::see(visit.url("/bindings")).flash(flash.with_undo(undo)))
}

pub(crate) async fn remove(visit: GuildVisit) -> Result<Response, PageError> {
    let id: BindingId = visit.param("binding")?;
    let rows = bindings::list(visit.read(), visit.guild.guild_id).await?;
    let row = rows.iter().find(|row| row.id == id).ok_or(PageError::NotFound)?;
    let answer = visit.api(Method::DELETE, &format!("/bindings/remove/{id}"), Map::new()).await;
    if !answer.status.is_success() {
        return show(&visit, Form::refused(&visit.form, &answer)).await;
    }
    let again = form::again(&row.rule);
    let named = rows::named(&visit, row).await;
    let flash = Flash::new(format!(
        "Binding removed: {named}. Guildhall leaves this role alone from now on, unless another binding gives it."
    ));
    Ok(Response::see(visit.url("/bindings"))
        .flash(flash.with_undo(Undo::new(visit.url("/bindings"), &form::borrowed(&again)))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_a_number_or_the_address_of_its_page() {
        let found = |typed| group_in(typed).map(|group| group.to_string());
        for typed in
            ["5000", "https://www.roblox.com/communities/5000/Harbour#!/about", "roblox.com/groups/5000"]
        {
            assert_eq!(found(typed).as_deref(), Some("5000"), "{typed}");
        }
        assert_eq!([found("my group"), found("roblox.com/communities/"), found("")], [None, None, None]);
    }
}
