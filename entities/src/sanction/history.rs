//! All sanctions of a guild, in force or not.

use sea_orm::entity::prelude::*;
use sea_orm::{Condition, QueryOrder, QuerySelect, QueryTrait};

use super::model::{self, Column, Entity, Lifted, MirrorState, Model, SanctionKind, in_force};
use crate::by_id::by_id;
use crate::{ChatId, GuildId, Page, Person, PlaceId, SanctionId, Timestamp, lists};

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
    /// Only those whose copy on the chat platform is in this state.
    pub mirror: Option<MirrorState>,
    /// Also those that another one replaced.
    pub replaced: bool,
}

impl Filter {
    /// All of a kind.
    pub fn of(kind: SanctionKind) -> Self {
        Self { kind, person: None, active: None, moderator: None, place: None, mirror: None, replaced: true }
    }
}

/// When the newest sanctions of a kind were imposed.
pub(crate) async fn newest_times<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    kind: SanctionKind,
    limit: u64,
) -> Result<Vec<Timestamp>, DbErr> {
    let times = newest(guild, Page::first(limit)).filter(Column::Kind.eq(kind)).select_only();
    times.column(Column::CreatedAt).into_tuple().all(conn).await
}

/// Sanctions of a guild, newest first.
pub async fn list<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    filter: Filter,
    page: Page<SanctionId>,
    now: Timestamp,
) -> Result<Vec<Model>, DbErr> {
    chosen(guild, filter, page, now).all(conn).await
}

/// How many the list has, counted up to `most`.
pub async fn count<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    filter: Filter,
    most: u64,
    now: Timestamp,
) -> Result<u64, DbErr> {
    let some = chosen(guild, filter, Page::first(most), now).select_only().column(Column::SanctionId);
    lists::count(conn, some.into_query()).await
}

fn chosen(guild: GuildId, filter: Filter, page: Page<SanctionId>, now: Timestamp) -> Select<Entity> {
    let shown = Condition::all()
        .add(Column::Kind.eq(filter.kind))
        .add_option(filter.moderator.map(|moderator| Column::ModeratorId.eq(moderator)))
        // A literal: Postgres uses a partial index only where it sees that its condition holds.
        .add_option(filter.mirror.map(|state| Expr::cust(format!("mirror_state = '{}'", state.to_value()))))
        .add_option((!filter.replaced).then(|| {
            Condition::any().add(Column::LiftedHow.is_null()).add(Column::LiftedHow.ne(Lifted::Superseded))
        }))
        .add_option(filter.place.map(|place| Column::PlaceId.eq(place)))
        .add_option(filter.active.map(|active| if active { in_force(now) } else { in_force(now).not() }));
    let rows = match filter.person {
        Some(person) => newest_of(guild, person, page),
        None => newest(guild, page),
    };
    rows.filter(shown)
}

pub async fn of_ids<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    ids: &[SanctionId],
) -> Result<Vec<Model>, DbErr> {
    let named = lists::any_of(conn, Column::SanctionId, ids.iter().copied());
    Entity::find().filter(Column::GuildId.eq(guild)).filter(named).all(conn).await
}

/// A person's sanctions of both kinds, newest first.
pub async fn of_person<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    person: Person,
    limit: u64,
) -> Result<Vec<Model>, DbErr> {
    newest_of(guild, person, Page::first(limit)).all(conn).await
}

fn newest_of(guild: GuildId, person: Person, page: Page<SanctionId>) -> Select<Entity> {
    page.of(Entity::find().filter(model::of_person(guild, person)), Column::SanctionId)
}

/// What this number stands for: of each kind the newest.
pub async fn numbered<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    number: i64,
) -> Result<Vec<Model>, DbErr> {
    let rows = Entity::find().filter(Column::GuildId.eq(guild)).filter(Column::Number.eq(number));
    let mut rows = rows.order_by_desc(Column::SanctionId).all(conn).await?;
    let mut seen = Vec::new();
    rows.retain(|row| {
        let is_new = !seen.contains(&row.kind);
        seen.push(row.kind);
        is_new
    });
    Ok(rows)
}

/// The sanction that superseded this one.
pub async fn successor<C: ConnectionTrait>(conn: &C, old: &Model) -> Result<Option<Model>, DbErr> {
    let Some(subject) = old.subject() else { return Ok(None) };
    let same_place = match old.place_id {
        Some(place) => Column::PlaceId.eq(place),
        None => Column::PlaceId.is_null(),
    };
    let later = Entity::find()
        .filter(model::of_person(old.guild_id, subject.into()))
        .filter(Column::SanctionId.gt(old.sanction_id));
    let same = later.filter(Column::Kind.eq(old.kind)).filter(same_place);
    same.order_by_asc(Column::SanctionId).one(conn).await
}
