//! Members who have joined a guild and have not passed its screening yet: until then they can have no roles.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::OnConflict;
use sea_orm::{IntoActiveModel, QuerySelect};

use crate::by_id::no_relations;
use crate::{ChatId, Conn, GuildId, Result, Timestamp, lists};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "screened_member")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub guild_id: GuildId,
    #[sea_orm(primary_key, auto_increment = false)]
    pub chat_id: ChatId,
    pub joined_at: Timestamp,
}

no_relations!();

pub async fn add(conn: &impl Conn, row: Model) -> Result<()> {
    let again =
        OnConflict::columns([Column::GuildId, Column::ChatId]).update_column(Column::JoinedAt).to_owned();
    Entity::insert(row.into_active_model()).on_conflict(again).exec_without_returning(conn).await?;
    Ok(())
}

/// Those of the users who have not passed.
pub async fn among(conn: &impl Conn, guild: GuildId, users: &[ChatId]) -> Result<Vec<ChatId>> {
    let rows = Entity::find().select_only().column(Column::ChatId).filter(Column::GuildId.eq(guild));
    rows.filter(lists::any_of(conn, Column::ChatId, users.iter().copied())).into_tuple().all(conn).await
}

/// Removes the member; true: they had not passed before.
pub async fn remove(conn: &impl Conn, guild: GuildId, user: ChatId) -> Result<bool> {
    Ok(Entity::delete_by_id((guild, user)).exec(conn).await?.rows_affected > 0)
}
