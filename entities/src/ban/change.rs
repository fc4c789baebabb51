//! Banning, lifting, closing what has lapsed. All need a [`Change`]: the transaction's revision.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::Expr;
use sea_orm::{ActiveValue::NotSet, ActiveValue::Set, Condition, QuerySelect, UpdateMany};

use super::{ActiveModel, Column, Entity, MirrorState, Model};
use crate::moderation_revision::Change;
use crate::{ChatId, GuildId, Lifted, Person, PlaceId, Subject, Timestamp, due, lists, sanction};

/// A ban to be written.
#[derive(Debug, Clone)]
pub struct NewBan {
    pub subject: Subject,
    pub place: Option<PlaceId>,
    pub reason: String,
    pub moderator: ChatId,
    pub created_at: Timestamp,
    pub expires_at: Option<Timestamp>,
}

#[derive(Debug, Clone)]
pub struct Added {
    pub ban: Model,
    /// The older ones it took the place of, closed now. `lifted_how` tells those that had lapsed unnoticed.
    pub closed: Vec<Model>,
}

/// Bans, in place of any ban of the same identifier and place.
pub async fn add<C: ConnectionTrait>(conn: &C, change: &Change, ban: NewBan) -> Result<Added, DbErr> {
    let same_place = match ban.place {
        Some(place) => Column::PlaceId.eq(place),
        None => Column::PlaceId.is_null(),
    };
    let older = closing(change, Lifted::Superseded, Some(ban.moderator))
        .filter(Person::from(ban.subject).matches(Column::ChatId, Column::PlayId))
        .filter(same_place)
        .exec_with_returning(conn)
        .await?;
    let row = ActiveModel {
        ban_id: NotSet,
        guild_id: Set(change.guild),
        chat_id: Set(ban.subject.chat()),
        play_id: Set(ban.subject.play()),
        place_id: Set(ban.place),
        reason: Set(ban.reason),
        moderator_id: Set(ban.moderator),
        created_at: Set(ban.created_at),
        expires_at: Set(ban.expires_at),
        mirror_state: Set(MirrorState::None),
        revision: Set(change.revision),
        ..Default::default()
    };
    Ok(Added { ban: row.insert(conn).await?, closed: older })
}

/// Lifts every ban of a person, or with a place only those of that place. Returns what was open, closed now:
/// `lifted_how` tells those that were in force from those that had lapsed unnoticed.
pub async fn lift<C: ConnectionTrait>(
    conn: &C,
    change: &Change,
    (person, place): (Person, Option<PlaceId>),
    by: ChatId,
) -> Result<Vec<Model>, DbErr> {
    closing(change, Lifted::Lifted, Some(by))
        .filter(person.matches(Column::ChatId, Column::PlayId))
        .filter(Condition::all().add_option(place.map(|place| Column::PlaceId.eq(place))))
        .exec_with_returning(conn)
        .await
}

/// Guilds with a ban that has lapsed and is not closed.
pub async fn guilds_with_lapsed<C: ConnectionTrait>(
    conn: &C,
    now: Timestamp,
    limit: u64,
) -> Result<Vec<GuildId>, DbErr> {
    Entity::find()
        .select_only()
        .column(Column::GuildId)
        .distinct()
        .filter(sanction::lapsed(Column::LiftedAt, Column::ExpiresAt, now))
        .limit(limit)
        .into_tuple()
        .all(conn)
        .await
}

/// Closes up to `limit` bans of the guild that have lapsed.
pub async fn close_lapsed<C: ConnectionTrait>(
    conn: &C,
    change: &Change,
    limit: u64,
) -> Result<Vec<Model>, DbErr> {
    let lapsed = sanction::lapsed(Column::LiftedAt, Column::ExpiresAt, change.now)
        .add(Column::GuildId.eq(change.guild));
    let close = closing(change, Lifted::Expired, None);
    due::change(conn, close, lapsed, (Column::BanId, Column::ExpiresAt), limit).await
}

/// Gives the open bans of these chat users this revision: they were linked anew, so the active list names them by
/// another game id.
pub async fn relinked<C: ConnectionTrait>(conn: &C, change: &Change, chats: &[ChatId]) -> Result<u64, DbErr> {
    let done = Entity::update_many()
        .col_expr(Column::Revision, Expr::value(change.revision))
        .filter(Column::GuildId.eq(change.guild))
        .filter(Column::LiftedAt.is_null())
        .filter(lists::any_of(conn, Column::ChatId, chats.iter().copied()))
        .exec(conn)
        .await?;
    Ok(done.rows_affected)
}

/// The update that closes open bans of the guild.
fn closing(change: &Change, how: Lifted, by: Option<ChatId>) -> UpdateMany<Entity> {
    Entity::update_many()
        .col_expr(Column::LiftedAt, Expr::value(change.now))
        .col_expr(Column::LiftedHow, sanction::lapsed_or(Column::ExpiresAt, how, change.now))
        .col_expr(Column::LiftedBy, Expr::value(by))
        .col_expr(Column::Revision, Expr::value(change.revision))
        .filter(Column::GuildId.eq(change.guild))
        .filter(Column::LiftedAt.is_null())
}
