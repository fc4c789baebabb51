//! All sanctions of a guild, in force or not.

use sea_orm::Condition;
use sea_orm::entity::prelude::*;

use super::model::{Column, Entity, Model, SanctionKind, in_force, names};
use crate::by_id::by_id;
use crate::{ChatId, GuildId, Page, Person, PlaceId, SanctionId, Timestamp};

by_id!(SanctionId: find, newest);

/// Filter of a list of sanctions.
#[derive(Debug, Clone, Copy)]
pub struct Filter {
    pub kind: SanctionKind,
    pub person: Option<Person>,
    /// In force (true) or not (false).
    pub active: Option<bool>,
    pub moderator: Option<ChatId>,
    /// Only sanctions of exactly this place.
    pub place: Option<PlaceId>,
}

impl Filter {
    /// All of a kind.
    pub fn of(kind: SanctionKind) -> Self {
        Self { kind, person: None, active: None, moderator: None, place: None }
    }
}

/// Sanctions of a guild, newest first.
pub async fn list<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    filter: Filter,
    page: Page<SanctionId>,
    now: Timestamp,
) -> Result<Vec<Model>, DbErr> {
    let shown = Condition::all()
        .add(Column::Kind.eq(filter.kind))
        .add_option(filter.person.map(names))
        .add_option(filter.moderator.map(|moderator| Column::ModeratorId.eq(moderator)))
        .add_option(filter.place.map(|place| Column::PlaceId.eq(place)))
        .add_option(filter.active.map(|active| if active { in_force(now) } else { in_force(now).not() }));
    newest(guild, page).filter(shown).all(conn).await
}
