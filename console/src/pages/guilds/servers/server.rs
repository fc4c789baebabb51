//! /console/guilds/:guild/servers/:server: one server with its commands.

use askama::Template;
use entities::{CommandId, Page as Part, game_server, server_command};

use super::rows::{Command, Row, id_in};
use super::{FIELDS, USUAL_COMMANDS, places};
use crate::html::form::Form;
use crate::html::shell::{Place, Shell};
use crate::response::{PageError, Response};
use crate::visit::GuildVisit;

/// Commands of one page.
const SHOWN: usize = 50;

#[derive(Template)]
#[template(path = "guilds/server.html")]
struct Page {
    shell: Shell,
    form: Form,
    may_write: bool,
    server: Row,
    commands: Vec<Command>,
    more: Option<String>,
    usual: [&'static str; 4],
}

/// The server of the address.
pub(super) async fn find(visit: &GuildVisit) -> Result<game_server::Model, PageError> {
    let part: String = visit.param("server")?;
    let found = game_server::find(visit.read(), visit.guild.guild_id, id_in(&part)).await?;
    found.ok_or(PageError::NotFound)
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    show(&visit, Form::default()).await
}

pub(super) async fn show(visit: &GuildVisit, form: Form) -> Result<Response, PageError> {
    let row = find(visit).await?;
    let part = Part { cursor: visit.query.read::<CommandId>("before"), limit: SHOWN as u64 + 1 };
    let id = Some(row.server_id.as_str());
    let mut commands = server_command::list(visit.read(), visit.guild.guild_id, id, part).await?;
    let has_more = commands.len() > SHOWN;
    commands.truncate(SHOWN);
    let server = Row::new(visit, &row, &places(visit).await?);
    let page = Page {
        shell: visit.shell(&server.name, Place::Servers),
        may_write: visit.may("moderation.write") && server.live,
        more: commands.last().filter(|_| has_more).map(|last| format!("before={}", last.command_id)),
        commands: Command::all(visit, &commands).await?,
        server,
        usual: USUAL_COMMANDS,
        form,
    };
    Ok(Response::page(&page)?.status(page.form.status()))
}
