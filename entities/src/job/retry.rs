//! Runs a job again: a dead or failed job, or a job that waits for its next attempt.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{Condition, QueryOrder, QuerySelect};

use super::model::{Column, Entity, Model, State};
use super::time;
use crate::{Conn, GuildId, JobId, Result, Timestamp};

/// Gives a dead or failed job a fresh set of attempts and keeps its history; a quarantined job stays quarantined.
/// `None` if it is in another state.
pub async fn restart(conn: &impl Conn, job: JobId, now: Timestamp) -> Result<Option<Model>> {
    let rows = Entity::update_many()
        .col_expr(Column::State, Expr::value(State::Queued))
        .col_expr(Column::Attempt, Expr::value(0))
        .col_expr(Column::FinishedAt, Expr::value(Option::<Timestamp>::None))
        .col_expr(Column::RunAt, time::now(conn, now))
        .col_expr(Column::CancelRequested, Expr::value(false))
        .filter(Column::JobId.eq(job))
        .filter(Column::State.is_in([State::Dead, State::Failed]))
        .filter(Column::ParentId.is_null())
        .exec_with_returning(conn)
        .await?;
    Ok(rows.into_iter().next())
}

/// Makes a queued job that waits for its next attempt due now. `None` if it is already due, or in another state.
pub async fn make_due(conn: &impl Conn, job: JobId, now: Timestamp) -> Result<Option<Model>> {
    let rows = Entity::update_many()
        .col_expr(Column::RunAt, time::now(conn, now))
        .filter(Column::JobId.eq(job))
        .filter(Column::State.eq(State::Queued))
        .filter(Expr::col(Column::RunAt).gt(time::now(conn, now)))
        .exec_with_returning(conn)
        .await?;
    Ok(rows.into_iter().next())
}

/// The failed and dead jobs of a kind, oldest first; of one guild or of all.
pub async fn find_failed(
    conn: &impl Conn,
    kind: &str,
    guild: Option<GuildId>,
    after: Option<JobId>,
    limit: u64,
) -> Result<Vec<Model>> {
    let wanted = Condition::all()
        .add(Column::Kind.eq(kind))
        .add(Column::State.is_in([State::Dead, State::Failed]))
        .add(Column::ParentId.is_null())
        .add_option(guild.map(|guild| Column::GuildId.eq(guild)))
        .add_option(after.map(|after| Column::JobId.gt(after)));
    Entity::find().filter(wanted).order_by_asc(Column::JobId).limit(limit).all(conn).await
}
