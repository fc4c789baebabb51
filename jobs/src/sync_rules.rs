//! The rules of a guild for syncs, read: its bindings and settings (`platforms/src/sync_rules.rs`).

use entities::guild::grants::Grants;
use entities::{binding, guild};
use platforms::GuildRules;
use sea_orm::{ConnectionTrait, DbErr};

pub async fn of<C: ConnectionTrait>(conn: &C, guild: &guild::Model) -> Result<GuildRules, DbErr> {
    let grants = Grants::of(conn, guild).await?;
    Ok(GuildRules::new(binding::list(conn, guild.guild_id).await?, guild.settings(), grants))
}
