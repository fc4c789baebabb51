//! All sanctions of a guild, in force or not.

use sea_orm::entity::prelude::*;
use sea_orm::{Condition, QueryOrder, QuerySelect};

use super::model::{Column, Entity, Model, SanctionKind, in_force, names};
use crate::{ChatId, GuildId, Person, PlaceId, SanctionId, Timestamp};

pub async fn find<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    sanction: SanctionId,
) -> Result<Option<Model>, DbErr> {
    Entity::find_by_id(sanction).filter(Column::GuildId.eq(guild)).one(conn).await
}

/// Which sanctions a list shows.
#[derive(Debug, Clone, Copy)]
pub struct Filter {
    pub kind: SanctionKind,
    pub person: Option<Person>,
    /// In force (true) or not (false).
    pub active: Option<bool>,
    pub moderator: Option<ChatId>,
    /// Only those of this very place.
    pub place: Option<PlaceId>,
}

impl Filter {
    /// All of a kind.
    pub fn of(kind: SanctionKind) -> Self {
        Self { kind, person: None, active: None, moderator: None, place: None }
    }
}

/// Sanctions of a guild, newest first, older than the cursor.
pub async fn list<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    filter: Filter,
    (cursor, limit): (Option<SanctionId>, u64),
    now: Timestamp,
) -> Result<Vec<Model>, DbErr> {
    let wanted = Condition::all()
        .add(Column::GuildId.eq(guild))
        .add(Column::Kind.eq(filter.kind))
        .add_option(cursor.map(|cursor| Column::SanctionId.lt(cursor)))
        .add_option(filter.person.map(names))
        .add_option(filter.moderator.map(|moderator| Column::ModeratorId.eq(moderator)))
        .add_option(filter.place.map(|place| Column::PlaceId.eq(place)))
        .add_option(filter.active.map(|active| if active { in_force(now) } else { in_force(now).not() }));
    Entity::find().filter(wanted).order_by_desc(Column::SanctionId).limit(limit).all(conn).await
}
