//! The guild of a command, and a new guild with its defaults.

use anyhow::bail;
use entities::{GuildId, RoleList, Timestamp, guild};
use sea_orm::ConnectionTrait;
use serde_json::json;

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

/// A guild with the default settings of docs/rules.md 4 to 6.
pub(crate) fn new_guild(id: GuildId, name: String, shield_writer: bool, now: Timestamp) -> guild::Model {
    guild::Model {
        guild_id: id,
        name,
        shield_writer,
        mirror_bans: true,
        mirror_bans_per_hour: 30,
        nickname_template: "{play_username}".to_owned(),
        time_zone: "UTC".to_owned(),
        week_start: 1,
        strike_days: 90,
        score_weights: json!({}),
        allowed_privileged_roles: RoleList::default(),
        created_at: now,
        removing_since: None,
    }
}
