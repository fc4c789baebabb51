//! Closes open sanctions.

use std::collections::BTreeMap;

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::Expr;
use sea_orm::{ActiveValue::Set, Condition, UpdateMany};

use super::model::{ALTERNATIVES_PER_STATEMENT, ActiveModel, Column, Entity, Lifted, Model, expired_or};
use crate::ChatId;
use crate::moderation_revision::Change;

/// Closes what each moderator closes, for each moderator and reason.
pub(super) async fn close_all<C: ConnectionTrait>(
    conn: &C,
    change: &Change,
    how: Lifted,
    rows: impl Iterator<Item = ((ChatId, Option<String>), Condition)>,
) -> Result<Vec<Model>, DbErr> {
    let mut moderators: BTreeMap<_, Vec<Condition>> = BTreeMap::new();
    for (by, rows) in rows {
        moderators.entry(by).or_default().push(rows);
    }
    let mut closed = Vec::new();
    for ((by, reason), rows) in moderators {
        for part in rows.chunks(ALTERNATIVES_PER_STATEMENT) {
            let closing =
                closing(change, how, Some(by)).col_expr(Column::LiftReason, Expr::value(reason.clone()));
            let any = part.iter().cloned().fold(Condition::any(), Condition::add);
            closed.append(&mut closing.filter(any).exec_with_returning(conn).await?);
        }
    }
    Ok(closed)
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

/// A row that is written closed, because a newer one of the same transaction supersedes it.
pub(super) fn superseded(row: ActiveModel, change: &Change, by: ChatId) -> ActiveModel {
    let has_ended = row.expires_at.try_as_ref().copied().flatten().is_some_and(|end| end <= change.now);
    let how = if has_ended { Lifted::Expired } else { Lifted::Superseded };
    ActiveModel {
        lifted_at: Set(Some(change.now)),
        lifted_how: Set(Some(how)),
        lifted_by: Set(Some(by)),
        ..row
    }
}
