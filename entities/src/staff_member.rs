//! Staff members and their roles. Changes that concern one member lock its row first ([`find_for_update`]); records
//! about and by a member outlive it.

use sea_orm::ActiveValue::Set;
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::OnConflict;

use crate::by_id::by_id;
use crate::{ChatId, GuildId, RoleId, Timestamp};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "staff_member")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub guild_id: GuildId,
    #[sea_orm(primary_key, auto_increment = false)]
    pub chat_id: ChatId,
    pub role_id: RoleId,
    pub joined_at: Timestamp,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

by_id!(ChatId: find_for_update, delete);

/// Adds a member, or changes a member's role; `joined_at` of an existing member stays.
pub async fn upsert<C: ConnectionTrait>(conn: &C, member: Model) -> Result<Model, DbErr> {
    let conflict =
        OnConflict::columns([Column::GuildId, Column::ChatId]).update_column(Column::RoleId).to_owned();
    let row = ActiveModel {
        guild_id: Set(member.guild_id),
        chat_id: Set(member.chat_id),
        role_id: Set(member.role_id),
        joined_at: Set(member.joined_at),
    };
    Entity::insert(row).on_conflict(conflict).exec_with_returning(conn).await
}

/// Like [`upsert`], but writes `joined_at` too. Lock the role's row first: a missing role is a plain database error.
pub async fn put<C: ConnectionTrait>(conn: &C, member: Model) -> Result<(), DbErr> {
    let conflict = OnConflict::columns([Column::GuildId, Column::ChatId])
        .update_columns([Column::RoleId, Column::JoinedAt])
        .to_owned();
    let row = ActiveModel::from(member).reset_all();
    Entity::insert(row).on_conflict(conflict).exec_without_returning(conn).await?;
    Ok(())
}

pub async fn count_with_role<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    role: RoleId,
) -> Result<u64, DbErr> {
    Entity::find().filter(Column::GuildId.eq(guild)).filter(Column::RoleId.eq(role)).count(conn).await
}
