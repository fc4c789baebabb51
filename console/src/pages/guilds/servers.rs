//! /console/guilds/:guild/servers: the game servers that report to Guildhall, and the commands sent to them.

pub(crate) mod command;
mod order;
mod places;
mod players;
pub(crate) mod rows;
pub(crate) mod server;

use askama::Template;
use entities::game_server::{self, Filter, Key};
use entities::overview::{self, Servers};
use entities::{Page as Part, server_command};

use super::people::Who;
use crate::html::choice::Choice;
use crate::html::form::Form;
use crate::html::format::Number;
use crate::html::list::{Column, counted, cut_counted, sorted};
use crate::html::shell::{Place, Shell};
use crate::response::{PageError, Response};
use crate::visit::GuildVisit;
use order::{FIELDS, choices, meant};
use places::Places;
use rows::{Command, Row};
pub(crate) use rows::{address, name};

/// The columns that sort the list, as the address names them.
const COLUMNS: [(&str, &str, Key); 4] = [
    ("server", "Server", Key::Server),
    ("players", "Players", Key::Players),
    ("heard", "Last heartbeat", Key::Heard),
    ("first", "First seen", Key::FirstSeen),
];
/// Commands that a page shows.
const COMMANDS: u64 = 20;

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
    columns: [Column; 4],
    is_sorted: bool,
    rows: Vec<Row>,
    more: Option<String>,
    commands: Vec<Command>,
    kinds: Vec<Choice>,
    meant: Option<Who>,
    on: Option<String>,
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Response, PageError> {
    show(&visit, Form::new(visit.query.clone())).await
}

async fn show(visit: &GuildVisit, form: Form) -> Result<Response, PageError> {
    let (conn, guild, now, query) = (visit.read(), visit.guild.guild_id, visit.now(), &visit.query);
    let (state, live) = match query.text("state") {
        "all" => ("all", None),
        "offline" => ("offline", Some(false)),
        _ => ("live", Some(true)),
    };
    let filter = Filter { live, place: query.read("place") };
    let (sorted, columns) = sorted(query, COLUMNS);
    let mut servers = game_server::sorted(conn, guild, filter, sorted, counted(query), now).await?;
    let more = cut_counted(query, &mut servers);
    let (names, places) = Places::all(visit).await?;
    let Servers { servers: live, players } = overview::servers(conn, guild, now).await?;
    let commands = server_command::list(conn, guild, None, Part::first(COMMANDS)).await?;
    let page = Page {
        shell: visit.shell("Servers", Place::Servers),
        url: visit.url("/servers"),
        state,
        may_write: visit.may("moderation.write"),
        servers: Number(live),
        players: Number(players),
        columns,
        is_sorted: query.has("sort"),
        rows: servers.iter().map(|server| Row::new(visit, server, &names)).collect(),
        places,
        more,
        commands: Command::all(visit, &commands).await?,
        kinds: choices(),
        meant: meant(visit, &form).await?,
        on: None,
        form,
    };
    Ok(Response::page(&page)?.status(page.form.status()))
}
