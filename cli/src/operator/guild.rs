//! The guild of a command, and a new guild with its defaults.

use anyhow::bail;
use entities::{GuildId, Timestamp, guild};
use sea_orm::ConnectionTrait;

/// The guild, or an error that says how to add it.
pub(crate) async fn require_guild<C: ConnectionTrait>(conn: &C, id: GuildId) -> anyhow::Result<guild::Model> {
    match guild::find(conn, id).await? {
        Some(guild) => Ok(guild),
        None => bail!(
            "guild {id} is not known: `guildhall guilds list` shows the known ones, and \
             `guildhall guilds add {id} --name NAME` adds it"
        ),
    }
}

/// A guild with the default settings.
pub(crate) fn new_guild(id: GuildId, name: String, shield_writer: bool, now: Timestamp) -> guild::Model {
    guild::Model { shield_writer, ..guild::Model::new(id, name, now) }
}
