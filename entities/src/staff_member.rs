//! Staff members and their roles. Changes that concern one member lock its row first ([`find_for_update`]); records
//! about and by a member outlive it.

use sea_orm::QuerySelect;
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::OnConflict;

use crate::by_id::{by_id, no_relations};
use crate::{ChatId, Conn, GuildId, Result, RoleId, Timestamp};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "staff_member")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub guild_id: GuildId,
    #[sea_orm(primary_key, auto_increment = false)]
    pub chat_id: ChatId,
    pub role_id: RoleId,
    pub joined_at: Timestamp,
    /// Staff because of the role on the chat platform, and no longer without it ([`crate::guild::Settings::staff_by_role`]).
    pub by_role: bool,
}

no_relations!();

by_id!(ChatId: find_for_update, delete);

/// Adds a member, or changes one. Lock the role's row first: a missing role is a plain database error.
pub async fn put(conn: &impl Conn, member: Model) -> Result<()> {
    let conflict = OnConflict::columns([Column::GuildId, Column::ChatId])
        .update_columns([Column::RoleId, Column::JoinedAt, Column::ByRole])
        .to_owned();
    let row = ActiveModel::from(member).reset_all();
    Entity::insert(row).on_conflict(conflict).exec_without_returning(conn).await?;
    Ok(())
}

pub async fn count_with_role(conn: &impl Conn, guild: GuildId, role: RoleId) -> Result<u64> {
    Entity::find().filter(Column::GuildId.eq(guild)).filter(Column::RoleId.eq(role)).count(conn).await
}

/// The guilds in which a chat user is staff.
pub async fn guilds_of(conn: &impl Conn, chat: ChatId) -> Result<Vec<GuildId>> {
    let own = Entity::find().select_only().column(Column::GuildId).filter(Column::ChatId.eq(chat));
    own.into_tuple().all(conn).await
}

pub async fn list(conn: &impl Conn, guild: GuildId) -> Result<Vec<Model>> {
    Entity::find().filter(Column::GuildId.eq(guild)).all(conn).await
}
