//! /console/instance/pauses: classes and guilds whose jobs are not started.

use std::collections::HashMap;

use askama::Template;
use entities::job::Class;
use entities::job_pause::{self, Scope};
use entities::{GuildId, guild};
use runtime::UnitOfWork;

use super::{guild_names, person, url};
use crate::html::form::Form;
use crate::html::format::When;
use crate::html::shell::Shell;
use crate::html::shell::instance::InstancePlace;
use crate::pages::guilds::people::Who;
use crate::response::{Flash, PageError, Response, Undo};
use crate::visit::Visit;

const FIELDS: [&str; 3] = ["what", "guild", "reason"];
/// Characters of a reason.
const REASON_MAX: usize = 500;

#[derive(Template)]
#[template(path = "instance/pauses.html")]
struct Page {
    shell: Shell,
    form: Form,
    rows: Vec<Row>,
    classes: &'static [&'static str],
    /// Beside the id of a server: its name, if it is known.
    hint: String,
}

struct Row {
    /// The fields of the form that resumes it.
    what: &'static str,
    guild: Option<GuildId>,
    name: String,
    since: When,
    reason: String,
    /// `None`: the command line.
    by: Option<Who>,
}

pub(crate) async fn get(visit: Visit) -> Result<Response, PageError> {
    let form = Form::new(visit.query.clone());
    show(&visit, form).await
}

async fn show(visit: &Visit, form: Form) -> Result<Response, PageError> {
    let pauses = job_pause::list(visit.read()).await?;
    let names = guild_names(visit, pauses.iter().filter_map(|pause| pause.guild_id)).await?;
    let mut rows = Vec::new();
    for pause in pauses {
        rows.push(row(visit, pause, &names).await?);
    }
    let named = match form.text("guild").parse::<GuildId>() {
        Ok(id) => guild::find(visit.read(), id).await?.map(|guild| guild.name),
        Err(_) => None,
    };
    let status = form.status();
    let page = Page {
        shell: Shell::of_instance("Pauses", visit, InstancePlace::Pauses),
        form,
        rows,
        classes: Class::NAMES,
        hint: named.unwrap_or_else(|| "Its Discord id: digits only.".to_owned()),
    };
    Ok(Response::page(&page)?.status(status))
}

async fn row(
    visit: &Visit,
    pause: job_pause::Model,
    names: &HashMap<GuildId, String>,
) -> Result<Row, PageError> {
    let by = match pause.paused_by {
        Some(user) => person(visit, pause.guild_id, user).await?,
        None => None,
    };
    let class = pause.class.map(Class::name);
    let name = match pause.guild_id {
        Some(guild) => names.get(&guild).cloned().unwrap_or_else(|| guild.to_string()),
        None => class.unwrap_or_default().to_owned(),
    };
    Ok(Row {
        what: class.unwrap_or("guild"),
        guild: pause.guild_id,
        name,
        since: visit.when(pause.paused_at),
        reason: pause.reason,
        by,
    })
}

/// The target of a form, with its name for people.
async fn scope(visit: &Visit) -> Result<Result<(Scope, String), Form>, PageError> {
    let wrong = |field, text: &str| Ok(Err(Form::wrong(&visit.form, Some(field), text)));
    if visit.form.text("what") != "guild" {
        let class = visit.form.read::<Class>("what");
        let known = class.map(|class| (Scope::Class(class), format!("class {}", class.name())));
        return known.map_or_else(|| wrong("what", "Choose a class, or a server."), |known| Ok(Ok(known)));
    }
    let Some(id) = visit.form.read::<GuildId>("guild") else {
        return wrong("guild", "Enter the id of a Discord server: digits only.");
    };
    match guild::find(visit.read(), id).await? {
        Some(guild) => Ok(Ok((Scope::Guild(id), guild.name))),
        None => wrong("guild", "This service has no server with this id."),
    }
}

pub(crate) async fn pause(visit: Visit) -> Result<Response, PageError> {
    let (scope, name) = match scope(&visit).await? {
        Ok(scope) => scope,
        Err(form) => return show(&visit, form).await,
    };
    let reason = visit.form.text("reason");
    if reason.is_empty() || reason.chars().count() > REASON_MAX {
        let text = "Enter a reason of at most 500 characters, for other operators.";
        return show(&visit, Form::wrong(&visit.form, Some("reason"), text)).await;
    }
    let work = UnitOfWork::begin(visit.context()).await?;
    let changed = visit.operator().pause(work.tx(), scope, reason, visit.now()).await?;
    visit.commit(work).await?;
    if !changed {
        return show(&visit, Form::wrong(&visit.form, Some("what"), "This is already paused.")).await;
    }
    visit.log("jobs.pause", &name);
    let (what, guild) = (visit.form.text("what"), visit.form.text("guild"));
    let undo = Undo::new(url("/pauses/resume"), &[("what", what), ("guild", guild)]);
    let flash = Flash::new(format!("Jobs of {name} are no longer started. Running jobs go on."));
    Ok(Response::see(url("/pauses")).flash(flash.with_undo(undo)))
}

pub(crate) async fn resume(visit: Visit) -> Result<Response, PageError> {
    let (scope, name) = match scope(&visit).await? {
        Ok(scope) => scope,
        Err(form) => return show(&visit, form).await,
    };
    let before = job_pause::list(visit.read()).await?;
    let before = before.into_iter().find(|pause| match scope {
        Scope::Class(class) => pause.class == Some(class),
        Scope::Guild(guild) => pause.guild_id == Some(guild),
    });
    let work = UnitOfWork::begin(visit.context()).await?;
    let changed = visit.operator().resume(work.tx(), scope, visit.now()).await?;
    visit.commit(work).await?;
    let Some(before) = before.filter(|_| changed) else {
        return Ok(
            Response::see(url("/pauses")).flash(Flash::new(format!("Jobs of {name} were not paused.")))
        );
    };
    visit.log("jobs.resume", &name);
    let reason = if before.reason.is_empty() { "Paused again" } else { before.reason.as_str() };
    let again = [("what", visit.form.text("what")), ("guild", visit.form.text("guild")), ("reason", reason)];
    let flash = Flash::new(format!("Jobs of {name} are started again."));
    Ok(Response::see(url("/pauses")).flash(flash.with_undo(Undo::new(url("/pauses"), &again))))
}
