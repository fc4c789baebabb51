//! All bans of a guild, in force or not.

use sea_orm::entity::prelude::*;
use sea_orm::{Condition, QueryOrder, QuerySelect};

use super::{Column, Entity, Model};
use crate::{BanId, ChatId, GuildId, Person, PlaceId, Timestamp, sanction};

pub async fn find<C: ConnectionTrait>(conn: &C, guild: GuildId, ban: BanId) -> Result<Option<Model>, DbErr> {
    Entity::find_by_id(ban).filter(Column::GuildId.eq(guild)).one(conn).await
}

/// Which bans a list shows.
#[derive(Debug, Clone, Copy, Default)]
pub struct Filter {
    pub person: Option<Person>,
    /// In force (true) or not (false).
    pub active: Option<bool>,
    pub moderator: Option<ChatId>,
    /// Only those of this very place.
    pub place: Option<PlaceId>,
}

/// Bans of a guild, newest first, older than the cursor.
pub async fn list<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    filter: Filter,
    (cursor, limit): (Option<BanId>, u64),
    now: Timestamp,
) -> Result<Vec<Model>, DbErr> {
    let in_force = sanction::in_force(Column::LiftedAt, Column::ExpiresAt, now);
    let wanted = Condition::all()
        .add(Column::GuildId.eq(guild))
        .add_option(cursor.map(|cursor| Column::BanId.lt(cursor)))
        .add_option(filter.person.map(|person| person.matches(Column::ChatId, Column::PlayId)))
        .add_option(filter.moderator.map(|moderator| Column::ModeratorId.eq(moderator)))
        .add_option(filter.place.map(|place| Column::PlaceId.eq(place)))
        .add_option(filter.active.map(|active| if active { in_force } else { in_force.not() }));
    Entity::find().filter(wanted).order_by_desc(Column::BanId).limit(limit).all(conn).await
}
