//! Pages of the whole instance, for its operators, below `/console/instance`. Operators are not staff of a
//! guild: nothing here opens a guild's pages.

pub(crate) mod change;
mod cron;
pub(crate) mod guilds;
mod health;
pub(crate) mod jobs;
pub(crate) mod limits;
pub(crate) mod overview;
pub(crate) mod pauses;
pub(crate) mod platforms;
mod processes;
pub(crate) mod queues;
pub(crate) mod schedules;

use std::collections::HashMap;

use ::platforms::CallContext;
use entities::{ChatId, GuildId, Page, Subject, guild, guild_figures, link};

use crate::pages::guilds::people::Who;
use crate::response::PageError;
use crate::visit::Visit;

/// The address of a page of the instance.
pub(crate) fn url(page: &str) -> String {
    format!("{}{page}", crate::html::shell::instance::ROOT)
}

/// The names of these guilds.
async fn guild_names(
    visit: &Visit,
    guilds: impl IntoIterator<Item = GuildId>,
) -> Result<HashMap<GuildId, String>, PageError> {
    let mut ids: Vec<_> = guilds.into_iter().collect();
    ids.sort_unstable();
    ids.dedup();
    Ok(guild::names(visit.read(), ids).await?)
}

/// A Discord user by the number that rows keep: by their session, their link in this guild, or as Discord names them.
/// `None`: the service itself.
async fn person(visit: &Visit, guild: Option<GuildId>, user: i64) -> Result<Option<Who>, PageError> {
    let (Ok(chat), conn, own) = (ChatId::try_from(user), visit.read(), &visit.session.row) else {
        return Ok(None);
    };
    let subject = Subject::Chat(chat);
    if own.user_id == chat {
        return Ok(Some(Who::named(subject, own.user_name.clone())));
    }
    // A request to Discord belongs to a guild.
    let guild = match guild {
        Some(guild) => Some(guild),
        None => guild_figures::search(conn, "", Page::first(1)).await?.first().map(|guild| guild.guild_id),
    };
    let Some(guild) = guild else { return Ok(Some(Who::unlinked(subject))) };
    if let Some(link) = link::find_by_chat(conn, guild, chat).await? {
        let play = Some(link.play_id);
        return Ok(Some(Who { play, ..Who::named(subject, link.play_username) }));
    }
    let mut names = visit.console.names.find(CallContext::interactive(guild), &[subject]).await;
    Ok(Some(names.remove(&subject).map_or_else(|| Who::unlinked(subject), |name| Who::named(subject, name))))
}
