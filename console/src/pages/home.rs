//! /console: the guilds of the person, or the only one.

use askama::Template;
use entities::{GuildId, guild, staff_member};
use people::Viewer;

use crate::html::shell::Shell;
use crate::response::{PageError, Response};
use crate::visit::Visit;

#[derive(Template)]
#[template(path = "home.html")]
struct Home {
    shell: Shell,
    guilds: Vec<Row>,
}

struct Row {
    id: GuildId,
    name: String,
    position: String,
}

pub(crate) async fn get(visit: Visit) -> Result<Response, PageError> {
    if let Some(only) = visit.session.row.guild_id {
        let (_, rights) = visit.guild(only).await?;
        // A member has no console there.
        let page = if rights.is_stranger() { "link" } else { "console/guilds" };
        return Ok(Response::see(format!("/{page}/{only}")));
    }
    let (conn, session) = (visit.read(), &visit.session.row);
    let mut places = staff_member::guilds_of(conn, session.user_id).await?;
    places.extend(&session.manages.0);
    let mut known: Vec<_> = guild::names(conn, places).await?.into_iter().collect();
    known.sort_unstable_by_key(|(_, name)| name.to_lowercase());
    let viewer = Viewer::of(session);
    let mut guilds = Vec::new();
    for (id, name) in known {
        let rights = visit.console.rights.of(&viewer, id).await?;
        if !rights.is_stranger() {
            guilds.push(Row { id, name, position: rights.title().to_owned() });
        }
    }
    match guilds.as_slice() {
        [only] => Ok(Response::see(format!("/console/guilds/{}", only.id))),
        _ => Response::page(&Home { shell: visit.shell("Servers"), guilds }),
    }
}
