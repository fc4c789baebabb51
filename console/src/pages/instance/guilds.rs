//! /console/instance/guilds: the guilds of this instance, with figures that reveal no data of theirs.

use askama::Template;
use entities::guild_figures::{self, Figures};
use entities::{GuildId, Page as Part};

use crate::html::form::Form;
use crate::html::format::{Number, When};
use crate::html::shell::Shell;
use crate::html::shell::instance::InstancePlace;
use crate::response::{PageError, Response};
use crate::visit::Visit;

/// Guilds of one page: each needs a few counts.
const SHOWN: u64 = 25;

#[derive(Template)]
#[template(path = "instance/guilds.html")]
struct Page {
    shell: Shell,
    form: Form,
    total: Number<u64>,
    rows: Vec<Row>,
    more: Option<String>,
}

struct Row {
    id: GuildId,
    name: String,
    shield_writer: bool,
    paused: bool,
    members: Number<u64>,
    bans: Number<u64>,
    keys: Number<u64>,
    last: Option<When>,
}

pub(crate) async fn get(visit: Visit) -> Result<Response, PageError> {
    let (conn, query) = (visit.read(), visit.query.clone());
    let part = Part { cursor: query.read::<GuildId>("after"), limit: SHOWN + 1 };
    let mut guilds = guild_figures::search(conn, query.text("q"), part).await?;
    let has_more = guilds.len() as u64 > SHOWN;
    guilds.truncate(usize::try_from(SHOWN).unwrap_or(usize::MAX));
    let last = guilds.last().filter(|_| has_more).map(|guild| guild.guild_id.to_string());
    let mut rows = Vec::new();
    for guild in guilds {
        let figures = guild_figures::of(conn, guild.guild_id, visit.now()).await?;
        rows.push(row(&visit, guild.guild_id, guild.name, guild.shield_writer, figures));
    }
    let page = Page {
        shell: Shell::of_instance("Discord servers", &visit, InstancePlace::Guilds),
        total: Number(guild_figures::count(conn).await?),
        rows,
        more: last.map(|last| query.with("after", &last)),
        form: Form::new(query),
    };
    Response::page(&page)
}

fn row(visit: &Visit, id: GuildId, name: String, shield_writer: bool, figures: Figures) -> Row {
    Row {
        id,
        name,
        shield_writer,
        paused: figures.paused,
        members: Number(figures.members),
        bans: Number(figures.bans),
        keys: Number(figures.keys),
        last: figures.last_activity.map(|at| visit.when(at)),
    }
}
