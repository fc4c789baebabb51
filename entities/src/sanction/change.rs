//! Creates and closes sanctions. Every function needs a [`Change`]: the transaction's revision.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, OnConflict};
use sea_orm::{ActiveValue::NotSet, ActiveValue::Set, Condition, UpdateMany};

use super::model::{
    ActiveModel, Column, Entity, Lifted, MirrorState, Model, SanctionKind, expired_or, of_person,
};
use crate::moderation_revision::Change;
use crate::{ChatId, Person, PlaceId, SanctionId, Subject, Timestamp, lists};

/// A sanction to insert.
#[derive(Debug, Clone)]
pub struct NewSanction {
    pub kind: SanctionKind,
    pub subject: Subject,
    pub place: Option<PlaceId>,
    pub reason: String,
    pub moderator: ChatId,
    pub created_at: Timestamp,
    pub expires_at: Option<Timestamp>,
}

#[derive(Debug, Clone)]
pub struct Created {
    pub sanction: Model,
    /// The older sanctions it replaced, now closed. `lifted_how` marks those that had expired before.
    pub closed: Vec<Model>,
}

/// Writes a sanction in place of any open one of the same kind, identifier and place.
pub async fn create<C: ConnectionTrait>(
    conn: &C,
    change: &Change,
    new: NewSanction,
) -> Result<Created, DbErr> {
    // Mostly there is none to replace: then one way to the database does.
    let unless_open = OnConflict::new().do_nothing().to_owned();
    let (kind, subject, place, moderator) = (new.kind, new.subject, new.place, new.moderator);
    let row = row(change, new);
    let added = Entity::insert_many([row.clone()]).on_conflict(unless_open).exec_with_returning(conn).await?;
    if let Some(sanction) = added.into_iter().next() {
        return Ok(Created { sanction, closed: Vec::new() });
    }
    let same_place = match place {
        Some(place) => Column::PlaceId.eq(place),
        None => Column::PlaceId.is_null(),
    };
    let closed = closing(change, Lifted::Superseded, Some(moderator))
        .filter(Column::Kind.eq(kind))
        .filter(of_person(change.guild, subject.into()))
        .filter(same_place)
        .exec_with_returning(conn)
        .await?;
    Ok(Created { sanction: row.insert(conn).await?, closed })
}

/// Every column is set, so that all rows of one insert have the same ones.
pub(super) fn row(change: &Change, new: NewSanction) -> ActiveModel {
    ActiveModel {
        sanction_id: NotSet,
        guild_id: Set(change.guild),
        kind: Set(new.kind),
        chat_id: Set(new.subject.chat()),
        play_id: Set(new.subject.play()),
        place_id: Set(new.place),
        reason: Set(new.reason),
        moderator_id: Set(new.moderator),
        created_at: Set(new.created_at),
        expires_at: Set(new.expires_at),
        lifted_at: Set(None),
        lifted_how: Set(None),
        lifted_by: Set(None),
        mirror_state: Set(MirrorState::None),
        mirror_chat_id: Set(None),
        mirror_job_id: Set(None),
        mirror_error: Set(None),
        revision: Set(change.revision),
    }
}

/// A person's sanctions of one kind.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    pub kind: SanctionKind,
    pub person: Person,
    /// Each function that takes a target documents what `None` means.
    pub place: Option<PlaceId>,
}

/// Lifts the target's sanctions: those of its place, or all of them if it names no place. Returns the rows that were
/// open; `lifted_how` distinguishes rows in force from rows that had expired before.
pub async fn lift<C: ConnectionTrait>(
    conn: &C,
    change: &Change,
    target: Target,
    by: ChatId,
) -> Result<Vec<Model>, DbErr> {
    lifting(change, target, by).exec_with_returning(conn).await
}

/// Lifts one of them and leaves the others in force.
pub async fn lift_one<C: ConnectionTrait>(
    conn: &C,
    change: &Change,
    target: Target,
    only: SanctionId,
    by: ChatId,
) -> Result<Vec<Model>, DbErr> {
    lifting(change, target, by).filter(Column::SanctionId.eq(only)).exec_with_returning(conn).await
}

fn lifting(change: &Change, target: Target, by: ChatId) -> UpdateMany<Entity> {
    closing(change, Lifted::Lifted, Some(by))
        .filter(Column::Kind.eq(target.kind))
        .filter(of_person(change.guild, target.person))
        .filter(Condition::all().add_option(target.place.map(|place| Column::PlaceId.eq(place))))
}

/// Sets this revision on the open sanctions of newly linked chat users: the active lists now name them by another game
/// id.
pub async fn relink<C: ConnectionTrait>(conn: &C, change: &Change, chats: &[ChatId]) -> Result<u64, DbErr> {
    let done = Entity::update_many()
        .col_expr(Column::Revision, Expr::value(change.revision))
        .filter(Column::GuildId.eq(change.guild))
        .filter(Column::LiftedAt.is_null())
        .filter(lists::any_of(conn, Column::ChatId, chats.iter().copied()))
        .exec(conn)
        .await?;
    Ok(done.rows_affected)
}

/// The update that closes open sanctions; its caller names those of the change's guild.
pub(super) fn closing(change: &Change, how: Lifted, by: Option<ChatId>) -> UpdateMany<Entity> {
    Entity::update_many()
        .col_expr(Column::LiftedAt, Expr::value(change.now))
        .col_expr(Column::LiftedHow, expired_or(how, change.now))
        .col_expr(Column::LiftedBy, Expr::value(by))
        .col_expr(Column::Revision, Expr::value(change.revision))
        .filter(Column::LiftedAt.is_null())
}
