//! /console/guilds/:guild: the guild at a glance.

use askama::Template;
use entities::{binding, link};

use crate::answer::{Answer, PageError};
use crate::shell::{Place, Shell};
use crate::visit::GuildVisit;
use crate::words::Number;

#[derive(Template)]
#[template(path = "guilds/overview.html")]
struct Page {
    shell: Shell,
    links: Number<u64>,
    bindings: usize,
    bindings_url: String,
}

pub(crate) async fn get(visit: GuildVisit) -> Result<Answer, PageError> {
    let guild = visit.guild.guild_id;
    let page = Page {
        shell: visit.shell(&visit.guild.name, Place::Overview),
        links: Number(link::count(visit.read(), guild).await?),
        bindings: binding::list(visit.read(), guild).await?.len(),
        bindings_url: visit.url("/bindings"),
    };
    Answer::page(&page)
}
