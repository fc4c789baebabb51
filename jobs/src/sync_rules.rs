//! The rules of a guild for syncs, read: its bindings and settings (`platforms/src/sync_rules.rs`).

use entities::{binding, guild};
use platforms::GuildRules;
use sea_orm::{ConnectionTrait, DbErr};

pub async fn of<C: ConnectionTrait>(conn: &C, guild: &guild::Model) -> Result<GuildRules, DbErr> {
    Ok(GuildRules::new(binding::list(conn, guild.guild_id).await?, guild.settings()))
}
