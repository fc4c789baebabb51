//! The import of a guild in steps: until [`finish`] no other query finds the guild. An import that was stopped can be
//! resumed with the same file.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::Expr;
use sea_orm::{ActiveValue::Set, EntityTrait};

use super::{Column as Of, Entity as Guilds};
use crate::by_id::no_relations;
use crate::{Conn, GuildId, Result, Timestamp};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "guild_import")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub guild_id: GuildId,
    pub file_hash: Vec<u8>,
}

no_relations!();

pub async fn find(conn: &impl Conn, guild: GuildId) -> Result<Option<Model>> {
    Entity::find_by_id(guild).one(conn).await
}

/// Hides the guild, whose row was inserted in this transaction.
pub async fn begin(conn: &impl Conn, guild: GuildId, file_hash: Vec<u8>, now: Timestamp) -> Result<()> {
    hide(conn, guild, Some(now)).await?;
    Entity::insert(ActiveModel { guild_id: Set(guild), file_hash: Set(file_hash) })
        .exec_without_returning(conn)
        .await
        .map(drop)
}

pub async fn finish(conn: &impl Conn, guild: GuildId) -> Result<()> {
    Entity::delete_by_id(guild).exec(conn).await?;
    hide(conn, guild, None).await
}

async fn hide(conn: &impl Conn, guild: GuildId, since: Option<Timestamp>) -> Result<()> {
    let hidden = Guilds::update_many().col_expr(Of::RemovingSince, Expr::value(since));
    hidden.filter(Of::GuildId.eq(guild)).exec(conn).await.map(drop)
}
