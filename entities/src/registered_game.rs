//! Games a guild has registered, once for each universe (docs/rules.md 6).

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ActiveValue::Set, QueryOrder};

use crate::by_id::by_id;
use crate::{GuildId, PlaceId, Timestamp, UniverseId};

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

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

by_id!(UniverseId: find);

/// Registers a game; false if the guild already has this universe, whose row stays unchanged.
pub async fn register<C: ConnectionTrait>(conn: &C, game: Model) -> Result<bool, DbErr> {
    let conflict = OnConflict::columns([Column::GuildId, Column::UniverseId]).do_nothing().to_owned();
    let row = ActiveModel {
        guild_id: Set(game.guild_id),
        universe_id: Set(game.universe_id),
        place_id: Set(game.place_id),
        name: Set(game.name),
        registered_at: Set(game.registered_at),
    };
    Ok(Entity::insert(row).on_conflict(conflict).exec_without_returning(conn).await? > 0)
}

pub async fn list<C: ConnectionTrait>(conn: &C, guild: GuildId) -> Result<Vec<Model>, DbErr> {
    Entity::find().filter(Column::GuildId.eq(guild)).order_by_asc(Column::UniverseId).all(conn).await
}
