//! Deletes old rows of a table: at most `limit` in a call, the oldest first, found by an index (docs/operations.md 4).
//! `conn` is a transaction. Audit entries, jobs, staff sessions and staff actions have their own files, and so have rows that live for
//! minutes.

use std::collections::BTreeMap;

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Alias, ExprTrait, Func, Query, SelectStatement, SimpleExpr};
use sea_orm::{Condition, Order, QueryOrder, QuerySelect};

use crate::hidden::not_hidden;
use crate::{
    Conn, GuildId, Result, SanctionId, Timestamp, api_key, application_panel, application_submission,
    leave_request, lists, moderation_revision, pending_action, sanction, shield_flag, sweep, ticket,
};

/// Rows whose column is before a time: a row without one is kept.
async fn delete_before<E: EntityTrait>(
    conn: &impl Conn,
    column: E::Column,
    before: Timestamp,
    limit: u64,
) -> Result<u64> {
    sweep::delete::<E>(conn, Condition::all().add(column.lt(before)), column, limit).await
}

/// Ended bans and mutes. The guild's revision records which changes are no longer known.
pub async fn sanctions(conn: &impl Conn, before: Timestamp, limit: u64) -> Result<u64> {
    use sanction::{Column, Entity};
    let old: Vec<(SanctionId, GuildId, i64)> = Entity::find()
        .select_only()
        .columns([Column::SanctionId, Column::GuildId, Column::Revision])
        .filter(Column::LiftedAt.lt(before))
        .filter(not_hidden(Column::GuildId))
        .order_by_asc(Column::LiftedAt)
        .limit(limit)
        .into_tuple()
        .all(conn)
        .await?;
    let mut forgotten = BTreeMap::new();
    for (_, guild, revision) in &old {
        let last = forgotten.entry(*guild).or_insert(*revision);
        *last = std::cmp::max(*last, *revision);
    }
    // Before the rows, as every change of sanctions.
    for (guild, revision) in forgotten {
        moderation_revision::forget(conn, guild, revision).await?;
    }
    let ids = lists::any_of(conn, Column::SanctionId, old.iter().map(|(id, ..)| *id));
    let over = Entity::delete_many().filter(ids).filter(Column::LiftedAt.lt(before));
    Ok(if old.is_empty() { 0 } else { over.exec(conn).await?.rows_affected })
}

/// Lifted flags of Shield.
pub async fn flags(conn: &impl Conn, before: Timestamp, limit: u64) -> Result<u64> {
    delete_before::<shield_flag::Entity>(conn, shield_flag::Column::LiftedAt, before, limit).await
}

/// Requests for leave that were decided or withdrawn.
pub async fn leave_requests(conn: &impl Conn, before: Timestamp, limit: u64) -> Result<u64> {
    delete_before::<leave_request::Entity>(conn, leave_request::Column::DecidedAt, before, limit).await
}

/// Decisions on actions; the actions stay.
pub async fn pending_actions(conn: &impl Conn, before: Timestamp, limit: u64) -> Result<u64> {
    delete_before::<pending_action::Entity>(conn, pending_action::Column::DecidedAt, before, limit).await
}

/// Keys that were revoked or have expired. A key stays while a key that it made exists, so that a revocation
/// with descendants finds all of them.
pub async fn keys(conn: &impl Conn, before: Timestamp, limit: u64) -> Result<u64> {
    use api_key::{Column, Entity};
    let mut deleted = 0;
    for ended in [Column::RevokedAt, Column::ExpiresAt] {
        let no_child = "NOT EXISTS (SELECT 1 FROM api_key AS made WHERE made.parent = api_key.public_id)";
        let old = Condition::all().add(ended.lt(before)).add(Expr::cust(no_child));
        deleted += sweep::delete::<Entity>(conn, old, ended, limit).await?;
    }
    Ok(deleted)
}

/// Submissions without a newer ticket or decision, with their tickets and comments, then removed panels of which no
/// submission is left. The last submission of a guild stays, so that
/// numbers are not reused.
pub async fn submissions(conn: &impl Conn, before: Timestamp, limit: u64) -> Result<u64> {
    use application_submission::{Column, Entity};
    let of = Expr::tuple([ticket::Column::GuildId, ticket::Column::SubmissionId].map(ColumnTrait::into_expr));
    let tickets = of.in_subquery(old_submissions(before, limit));
    let tickets = ticket::Entity::delete_many().filter(tickets).exec(conn).await?;
    let key = Expr::tuple([Column::GuildId, Column::SubmissionId].map(ColumnTrait::into_expr));
    let gone =
        Entity::delete_many().filter(key.in_subquery(old_submissions(before, limit))).exec(conn).await?;
    let no_submission = "NOT EXISTS (SELECT 1 FROM application_submission AS made \
        WHERE made.guild_id = application_panel.guild_id AND made.panel_id = application_panel.panel_id)";
    let removed = application_panel::Column::RemovedAt;
    let panels = Condition::all().add(removed.lt(before)).add(Expr::cust(no_submission));
    let panels = sweep::delete::<application_panel::Entity>(conn, panels, removed, limit).await?;
    Ok(tickets.rows_affected + gone.rows_affected + panels)
}

fn old_submissions(before: Timestamp, limit: u64) -> SelectStatement {
    use application_submission::{Column, Entity};
    let later = Alias::new("later");
    let own = |column: Column| Expr::col((Entity, column));
    let has_later = Query::select()
        .expr(Expr::cust("1"))
        .from_as(Entity, later.clone())
        .and_where(Expr::col((later.clone(), Column::GuildId)).eq(own(Column::GuildId)))
        .and_where(Expr::col((later, Column::SubmissionId)).gt(own(Column::SubmissionId)))
        .take();
    let ticket = |column: ticket::Column| Expr::col((ticket::Entity, column));
    let ended: SimpleExpr =
        Func::coalesce([ticket(ticket::Column::OpenedAt), ticket(ticket::Column::CreatedAt)]).into();
    let has_newer_ticket = Query::select()
        .expr(Expr::cust("1"))
        .from(ticket::Entity)
        .and_where(ticket(ticket::Column::GuildId).eq(own(Column::GuildId)))
        .and_where(ticket(ticket::Column::SubmissionId).eq(own(Column::SubmissionId)))
        .and_where(ended.gte(before))
        .take();
    Query::select()
        .columns([(Entity, Column::GuildId), (Entity, Column::SubmissionId)])
        .from(Entity)
        .and_where(own(Column::CreatedAt).lt(before))
        .and_where(not_hidden(Column::GuildId))
        .and_where(own(Column::DecidedAt).is_null().or(own(Column::DecidedAt).lt(before)))
        .and_where(Expr::exists(has_later))
        .and_where(Expr::exists(has_newer_ticket).not())
        .order_by((Entity, Column::CreatedAt), Order::Asc)
        .order_by((Entity, Column::GuildId), Order::Asc)
        .order_by((Entity, Column::SubmissionId), Order::Asc)
        .limit(limit)
        .take()
}
