//! Games a guild has registered, once for each universe (docs/rules.md 6).

use sea_orm::QueryOrder;
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::OnConflict;

use crate::by_id::{by_id, no_relations};
use crate::{Conn, GuildId, PlaceId, Result, Timestamp, UniverseId};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "registered_game")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub guild_id: GuildId,
    #[sea_orm(primary_key, auto_increment = false)]
    pub universe_id: UniverseId,
    pub place_id: PlaceId,
    pub name: String,
    pub registered_at: Timestamp,
}

no_relations!();

by_id!(UniverseId: find);

/// Registers a game; false if the guild already has this universe, whose row stays unchanged.
pub async fn register(conn: &impl Conn, game: Model) -> Result<bool> {
    let conflict = OnConflict::columns([Column::GuildId, Column::UniverseId]).do_nothing().to_owned();
    let row = ActiveModel::from(game).reset_all();
    Ok(Entity::insert(row).on_conflict(conflict).exec_without_returning(conn).await? > 0)
}

pub async fn list(conn: &impl Conn, guild: GuildId) -> Result<Vec<Model>> {
    Entity::find().filter(Column::GuildId.eq(guild)).order_by_asc(Column::UniverseId).all(conn).await
}
