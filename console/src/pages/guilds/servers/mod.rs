//! /console/guilds/:guild/servers: the game servers that report to Guildhall, and the commands sent to them.

pub(crate) mod command;
pub(crate) mod one;
mod rows;

use std::collections::BTreeMap;

use askama::Template;
use entities::game_server::{self, Filter};
use entities::overview::{self, Servers};
use entities::{Page as Part, registered_game, server_command};

use crate::answer::{Answer, PageError};
use crate::form::Form;
use crate::shell::{Place, Shell};
use crate::visit::GuildVisit;
use crate::words::Number;
pub(crate) use rows::address;
use rows::{Command, Row};

/// Servers of one page.
const SHOWN: usize = 50;
/// Commands that a page shows.
const COMMANDS: u64 = 20;
/// What the form shows; the API's errors name them.
const FIELDS: [&str; 5] = ["type", "target_id", "reason", "place_id", "word"];
/// Commands that games usually know.
const USUAL: [&str; 4] = ["kick", "announce", "shutdown", "restart"];

#[derive(Template)]
#[template(path = "guilds/servers.html")]
struct Page {
    shell: Shell,
    url: String,
    form: Form,
    state: &'static str,
    may_write: bool,
    servers: Number<i64>,
    players: Number<i64>,
    places: Vec<(String, String)>,
    rows: Vec<Row>,
    more: Option<String>,
    commands: Vec<Command>,
    usual: [&'static str; 4],
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Answer, PageError> {
    show(&visit, Form::new(visit.query.clone())).await
}

async fn show(visit: &GuildVisit, form: Form) -> Result<Answer, PageError> {
    let (conn, guild, now) = (visit.read(), visit.guild.guild_id, visit.now());
    let (state, live) = match visit.query.text("state") {
        "all" => ("all", None),
        "offline" => ("offline", Some(false)),
        _ => ("live", Some(true)),
    };
    let filter = Filter { live, place: visit.query.read("place") };
    let after = visit.query.has("after").then(|| visit.query.text("after"));
    let part = Part { cursor: after, limit: SHOWN as u64 + 1 };
    let mut servers = game_server::list(conn, guild, filter, part, now).await?;
    let has_more = servers.len() > SHOWN;
    servers.truncate(SHOWN);
    let more = servers.last().filter(|_| has_more).map(|last| visit.query.with("after", &last.server_id));
    let places = places(visit).await?;
    let Servers { servers: live, players } = overview::servers(conn, guild, now).await?;
    let commands = server_command::list(conn, guild, None, Part::first(COMMANDS)).await?;
    let page = Page {
        shell: visit.shell("Servers", Place::Servers),
        url: visit.url("/servers"),
        state,
        may_write: visit.may("moderation.write"),
        servers: Number(live),
        players: Number(players),
        rows: servers.iter().map(|server| Row::new(visit, server, &places)).collect(),
        places: places.into_iter().map(|(id, name)| (id.to_string(), name)).collect(),
        more,
        commands: Command::all(visit, &commands).await?,
        usual: USUAL,
        form,
    };
    Ok(Answer::page(&page)?.status(page.form.status()))
}

/// Names of the guild's games, by place.
async fn places(visit: &GuildVisit) -> Result<BTreeMap<i64, String>, PageError> {
    let games = registered_game::list(visit.read(), visit.guild.guild_id).await?;
    Ok(games.into_iter().map(|game| (game.place_id.get(), game.name)).collect())
}
