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

/// Each user once.
pub async fn add(conn: &impl Conn, rows: Vec<Model>) -> Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let again =
        OnConflict::columns([Column::GuildId, Column::ChatId]).update_column(Column::JoinedAt).to_owned();
    let rows = rows.into_iter().map(IntoActiveModel::into_active_model);
    Entity::insert_many(rows).on_conflict(again).exec_without_returning(conn).await?;
    Ok(())
}

/// Those of the users who have not passed.
pub async fn among(conn: &impl Conn, guild: GuildId, users: &[ChatId]) -> Result<Vec<ChatId>> {
    let rows = Entity::find().select_only().column(Column::ChatId).filter(Column::GuildId.eq(guild));
    rows.filter(lists::any_of(conn, Column::ChatId, users.iter().copied())).into_tuple().all(conn).await
}

/// Removes the members, and returns how many of them had not passed before.
pub async fn remove(conn: &impl Conn, guild: GuildId, users: &[ChatId]) -> Result<u64> {
    if users.is_empty() {
        return Ok(0);
    }
    let these = lists::any_of(conn, Column::ChatId, users.iter().copied());
    let removed = Entity::delete_many().filter(Column::GuildId.eq(guild)).filter(these).exec(conn).await?;
    Ok(removed.rows_affected)
}
