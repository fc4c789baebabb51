//! The guild of a command, and a new guild with its defaults.

use anyhow::bail;
use entities::guild::{import, removal};
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

/// An error if there is anything of the guild, that says how to go on.
pub(crate) async fn refuse_known<C: ConnectionTrait>(conn: &C, id: GuildId) -> anyhow::Result<()> {
    let Some(known) = removal::find(conn, id).await? else { return Ok(()) };
    if import::find(conn, id).await?.is_some() {
        bail!("guild {id} is being imported: `guildhall import` with the same file ends that");
    }
    if known.removing_since.is_some() {
        bail!("guild {id} is being removed: `guildhall guilds remove {id}` ends that");
    }
    bail!("guild {id} already exists, as {:?}; nothing was changed", known.name)
}

/// A guild with the default settings.
pub(crate) fn new_guild(id: GuildId, name: String, shield_writer: bool, now: Timestamp) -> guild::Model {
    guild::Model { shield_writer, ..guild::Model::new(id, name, now) }
}
