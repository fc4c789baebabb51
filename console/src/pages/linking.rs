//! /link: pages for members. Whoever is signed in links their own Roblox account here, guild by guild, and sees which guilds know
//! it. Members need no right, so a guild's page is the same for all of them.

mod code;
pub(crate) mod guild;
pub(crate) mod mine;
pub(crate) mod picture;
pub(crate) mod prove;
mod step;

use std::sync::Arc;

use entities::{GuildId, guild as guilds};
use http::Method;
use people::ApiAnswer;
use serde_json::{Map, Value};

use crate::response::PageError;
use crate::visit::Visit;

/// Calls the API as a member: for what concerns themselves. `{g}` in the path is the guild.
async fn call(
    visit: &Visit,
    guild: GuildId,
    method: Method,
    path: &str,
    body: Map<String, Value>,
) -> ApiAnswer {
    visit.api_in(guild, Arc::default(), method, path, body).await
}

/// The guild that the address names.
async fn guild_of(visit: &Visit) -> Result<guilds::Model, PageError> {
    let id: GuildId = visit.param("guild")?;
    // A link from the command line opens one guild.
    if visit.session.row.guild_id.is_some_and(|only| only != id) {
        return Err(PageError::NotFound);
    }
    guilds::find(visit.read(), id).await?.ok_or(PageError::NotFound)
}
