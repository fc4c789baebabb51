//! Pages of the whole instance, for its operators, below `/console/instance`. Who steers the instance is staff of no
//! guild: nothing here opens a guild's pages.

pub(crate) mod change;
pub(crate) mod guilds;
pub(crate) mod jobs;
pub(crate) mod limits;
pub(crate) mod overview;
pub(crate) mod pauses;
pub(crate) mod platforms;
pub(crate) mod queues;
pub(crate) mod schedules;

use std::collections::HashMap;

use entities::{GuildId, guild};

use crate::answer::PageError;
use crate::visit::Visit;

/// The address of a page of the instance.
pub(crate) fn url(page: &str) -> String {
    format!("{}{page}", crate::shell::instance::ROOT)
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
