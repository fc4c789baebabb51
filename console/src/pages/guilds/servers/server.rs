//! /console/guilds/:guild/servers/:server: one server with its commands.

use askama::Template;
use entities::{CommandId, Page as Part, game_server, server_command};

use super::order::{FIELDS, choices, meant};
use super::places::Places;
use super::players::Players;
use super::rows::{Command, Row, id_in};
use crate::html::choice::Choice;
use crate::html::form::Form;
use crate::html::format::Count;
use crate::html::shell::{Place, Shell};
use crate::pages::guilds::people::Who;
use crate::response::{PageError, Response};
use crate::visit::GuildVisit;

/// Commands of one page.
const SHOWN: usize = 25;

#[derive(Template)]
#[template(path = "guilds/server.html")]
struct Page {
    shell: Shell,
    form: Form,
    may_write: bool,
    /// Where a player is banned.
    ban_url: String,
    server: Row,
    players: Option<Players>,
    commands: Vec<Command>,
    more: Option<String>,
    kinds: Vec<Choice>,
    /// The player whose id the form has.
    meant: Option<Who>,
    /// The server's part of the address, for suggestions.
    on: Option<String>,
    /// What a shutdown means to the players.
    who_leaves: String,
    /// The form is open from the start.
    opens: bool,
}

/// The server of the address.
pub(super) async fn find(visit: &GuildVisit) -> Result<game_server::Model, PageError> {
    let part: String = visit.param("server")?;
    let found = game_server::find(visit.read(), visit.guild.guild_id, id_in(&part)).await?;
    found.ok_or(PageError::NotFound)
}

pub(super) fn who_leaves(players: i32) -> String {
    match players {
        0 => "Nobody was on it when it last reported.".to_owned(),
        1 => "1 player leaves it.".to_owned(),
        _ => format!("{} leave it.", Count(players, "player")),
    }
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    show(&visit, Form::new(visit.query.clone())).await
}

pub(super) async fn show(visit: &GuildVisit, form: Form) -> Result<Response, PageError> {
    let row = find(visit).await?;
    let part = Part { cursor: visit.query.read::<CommandId>("before"), limit: SHOWN as u64 + 1 };
    let id = Some(row.server_id.as_str());
    let mut commands = server_command::list(visit.read(), visit.guild.guild_id, id, part).await?;
    let has_more = commands.len() > SHOWN;
    commands.truncate(SHOWN);
    let server = Row::new(visit, &row, &Places::of(visit, [(row.place_id, row.universe_id)]).await?);
    let page = Page {
        shell: visit.shell(&server.name, Place::Servers),
        may_write: visit.may("moderation.write") && server.live,
        more: commands.last().filter(|_| has_more).map(|last| format!("before={}", last.command_id)),
        commands: Command::all(visit, &commands).await?,
        ban_url: visit.url("/moderation/bans/new"),
        players: Players::read(visit, &row).await?,
        kinds: choices(),
        meant: meant(visit, &form).await?,
        on: Some(server.part.clone()),
        who_leaves: who_leaves(row.player_count),
        opens: form.is_refused() || !form.text("kind").is_empty(),
        server,
        form,
    };
    Ok(Response::page(&page)?.status(page.form.status()))
}
