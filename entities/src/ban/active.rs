//! Who is banned now, and what changed since a revision.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{ExprTrait, Query};
use sea_orm::{Condition, FromQueryResult, QueryOrder, QuerySelect, Select};

use super::{Column, Entity, Model};
use crate::{
    BanId, ChatId, GuildId, Lifted, Person, PlaceId, Places, PlayId, Subject, Timestamp, link, sanction,
};

/// The bans of a person that are in force, the one that ends last first. With a place: those that apply there.
pub async fn of_person<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    (person, place): (Person, Option<PlaceId>),
    now: Timestamp,
) -> Result<Vec<Model>, DbErr> {
    let mut bans = Entity::find()
        .filter(Column::GuildId.eq(guild))
        .filter(person.matches(Column::ChatId, Column::PlayId))
        .filter(sanction::in_force(Column::LiftedAt, Column::ExpiresAt, now))
        .filter(Condition::all().add_option(place.map(|place| sanction::applies_in(Column::PlaceId, place))))
        .all(conn)
        .await?;
    bans.sort_by_key(|ban| std::cmp::Reverse((ban.expires_at.is_none(), ban.expires_at, ban.ban_id)));
    Ok(bans)
}

/// The ban that still holds for a person where one of `place` has just ended; of several the one that ends last.
pub async fn remaining<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    (person, place): (Person, Option<PlaceId>),
    now: Timestamp,
) -> Result<Option<Model>, DbErr> {
    let bans = of_person(conn, guild, (person, place), now).await?;
    Ok(bans.into_iter().find(|ban| ban.place_id.is_none() || ban.place_id == place))
}

/// How many of these bans of a guild are in force. Between two changes the number only falls.
pub async fn count<C: ConnectionTrait>(
    conn: &C,
    (guild, places): (GuildId, Places),
    now: Timestamp,
) -> Result<u64, DbErr> {
    Entity::find()
        .filter(Column::GuildId.eq(guild))
        .filter(places.shown(Column::PlaceId))
        .filter(sanction::in_force(Column::LiftedAt, Column::ExpiresAt, now))
        .count(conn)
        .await
}

/// A ban as game servers keep it.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
pub struct Listed {
    pub ban_id: BanId,
    pub chat_id: Option<ChatId>,
    /// Known directly or by a link.
    pub play_id: Option<PlayId>,
    pub place_id: Option<PlaceId>,
    pub reason: String,
    pub expires_at: Option<Timestamp>,
    pub lifted_at: Option<Timestamp>,
    pub lifted_how: Option<Lifted>,
    pub revision: i64,
}

impl Listed {
    /// The game id where it is known, so that a game server can match players with it.
    pub fn identifier(&self) -> Option<Subject> {
        self.play_id.map(Subject::Play).or(self.chat_id.map(Subject::Chat))
    }

    pub fn in_force(&self, now: Timestamp) -> bool {
        self.lifted_at.is_none() && self.expires_at.is_none_or(|end| end > now)
    }
}

/// These bans of a guild that are in force, oldest first.
pub async fn list<C: ConnectionTrait>(
    conn: &C,
    (guild, places): (GuildId, Places),
    now: Timestamp,
) -> Result<Vec<Listed>, DbErr> {
    listed(guild, places)
        .filter(sanction::in_force(Column::LiftedAt, Column::ExpiresAt, now))
        .order_by_asc(Column::BanId)
        .into_model()
        .all(conn)
        .await
}

/// Bans, in force or not, that changed after `revision`, in the order of change. Lapsing is no change: whoever keeps
/// the list sees it in `expires_at`. More than `limit`: read the whole list instead. A row's place never changes, so the changes for one
/// choice of places lead from its list to its list.
pub async fn changed_since<C: ConnectionTrait>(
    conn: &C,
    (guild, places): (GuildId, Places),
    revision: i64,
    limit: u64,
) -> Result<Vec<Listed>, DbErr> {
    listed(guild, places)
        .filter(Column::Revision.gt(revision))
        .order_by_asc(Column::Revision)
        .order_by_asc(Column::BanId)
        .limit(limit)
        .into_model()
        .all(conn)
        .await
}

fn listed(guild: GuildId, places: Places) -> Select<Entity> {
    let linked = Query::select()
        .column(link::Column::PlayId)
        .from(link::Entity)
        .and_where(Expr::col((link::Entity, link::Column::GuildId)).eq(Expr::col((Entity, Column::GuildId))))
        .and_where(Expr::col((link::Entity, link::Column::ChatId)).eq(Expr::col((Entity, Column::ChatId))))
        .to_owned();
    Entity::find()
        .select_only()
        .columns([
            Column::BanId,
            Column::ChatId,
            Column::PlaceId,
            Column::Reason,
            Column::ExpiresAt,
            Column::LiftedAt,
            Column::LiftedHow,
            Column::Revision,
        ])
        .column_as(Column::PlayId.into_expr().if_null(linked), "play_id")
        .filter(Column::GuildId.eq(guild))
        .filter(places.shown(Column::PlaceId))
}
