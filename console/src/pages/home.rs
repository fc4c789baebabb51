//! /console: the guilds of the person, or the only one.

use askama::Template;
use entities::{GuildId, guild, staff_member};

use crate::answer::{Answer, PageError};
use crate::rights::Viewer;
use crate::shell::Shell;
use crate::visit::Visit;

/// With more guilds in this instance only those are listed in which the person is staff; others open by their id.
const ASKED_AT_MOST: usize = 50;

#[derive(Template)]
#[template(path = "home.html")]
struct Home {
    shell: Shell,
    guilds: Vec<Row>,
    /// Some of the person's guilds may be absent.
    partial: bool,
}

struct Row {
    id: GuildId,
    name: String,
    position: String,
}

pub(crate) async fn get(visit: Visit) -> Result<Answer, PageError> {
    if let Some(only) = visit.session.row.guild_id {
        return Ok(Answer::see(format!("/console/guilds/{only}")));
    }
    if let Ok(asked) = visit.query.text("guild").parse::<GuildId>() {
        return Ok(Answer::see(format!("/console/guilds/{asked}")));
    }
    let mut known = guild::list(visit.read()).await?;
    let partial = known.len() > ASKED_AT_MOST;
    if partial {
        let own = staff_member::guilds_of(visit.read(), visit.session.row.user_id).await?;
        known.retain(|guild| own.contains(&guild.guild_id));
    }
    let viewer = Viewer::of(&visit.session.row);
    let mut guilds = Vec::new();
    for guild in known {
        let rights = visit.console.rights_of(&viewer, guild.guild_id).await?;
        if !rights.is_stranger() {
            let position = rights.title().to_owned();
            guilds.push(Row { id: guild.guild_id, name: guild.name, position });
        }
    }
    match guilds.as_slice() {
        [only] if !partial => Ok(Answer::see(format!("/console/guilds/{}", only.id))),
        _ => Answer::page(&Home { shell: visit.shell("Servers"), guilds, partial }),
    }
}
