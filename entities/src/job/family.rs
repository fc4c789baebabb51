//! Parents and children. A bulk job plans, then waits while its chunks run, at most a window of them at once.
//!
//! The end of a child first updates the parent's row, which locks it on Postgres. So of two chunks that end together
//! the second sees the first, and exactly one finds no open child left.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait};

use super::model::{Claim, Column, Entity, Known, Model, State};
use super::time;
use crate::{Conn, JobId, Result, Timestamp};

/// The end of a plan.
#[derive(Debug)]
pub struct Planned {
    /// The parent's first result.
    pub counters: Json,
    pub checkpoint: Json,
    pub known: Known,
}

/// Steps of a child that have ended, and those of them that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Steps {
    pub done: i64,
    pub failed: i64,
}

/// Turns a running parent into a waiting one, with its plan's counters as first result. Deletes the error of an earlier
/// attempt of the plan: from here on an error on the parent means that a child failed. Returns the parent's row, locked
/// until the transaction ends; `None`: the claim is lost.
pub async fn wait_for_children(
    conn: &impl Conn,
    claim: Claim,
    planned: Planned,
    now: Timestamp,
) -> Result<Option<Model>> {
    let rows = claim
        .update_progress(conn, planned.known, now)
        .col_expr(Column::State, Expr::value(State::Waiting))
        .col_expr(Column::Result, Expr::value(planned.counters))
        .col_expr(Column::Error, Expr::value(Option::<Json>::None))
        .col_expr(Column::Checkpoint, Expr::value(planned.checkpoint))
        .exec_with_returning(conn)
        .await?;
    Ok(rows.into_iter().next())
}

/// Deletes the plan of a parent that ended before its chunks began: the chunks are cancelled, and a retry plans anew.
pub async fn forget_plan(conn: &impl Conn, parent: JobId) -> Result<()> {
    Entity::update_many()
        .col_expr(Column::Checkpoint, Expr::value(Option::<Json>::None))
        .filter(Column::JobId.eq(parent))
        .exec(conn)
        .await?;
    Ok(())
}

/// Adds to the parent's progress and returns its row, locked until the transaction ends.
pub async fn add_progress(
    conn: &impl Conn,
    parent: JobId,
    steps: Steps,
    now: Timestamp,
) -> Result<Option<Model>> {
    let rows = Entity::update_many()
        .col_expr(Column::ProgressDone, Expr::col(Column::ProgressDone).add(steps.done))
        .col_expr(Column::ProgressFailed, Expr::col(Column::ProgressFailed).add(steps.failed))
        .col_expr(Column::ProgressAt, time::now(conn, now))
        .filter(Column::JobId.eq(parent))
        .exec_with_returning(conn)
        .await?;
    Ok(rows.into_iter().next())
}

/// Records on the parent why it fails, and whether its remaining chunks are to stop.
pub async fn note_end(conn: &impl Conn, parent: &Model) -> Result<()> {
    Entity::update_many()
        .col_expr(Column::Error, Expr::value(parent.error.clone()))
        .col_expr(Column::CancelRequested, Expr::value(parent.cancel_requested))
        .filter(Column::JobId.eq(parent.job_id))
        .exec(conn)
        .await?;
    Ok(())
}

pub async fn count_open_children(conn: &impl Conn, parent: JobId) -> Result<u64> {
    Entity::find()
        .filter(Column::ParentId.eq(parent))
        .filter(Column::State.is_in(State::OPEN))
        .count(conn)
        .await
}

/// Ends a waiting parent with these counters: failed if a failure is recorded on it, cancelled if that was requested.
pub async fn finish_parent(conn: &impl Conn, parent: &Model, now: Timestamp) -> Result<Option<Model>> {
    let state = match (&parent.error, parent.cancel_requested) {
        (Some(_), _) => State::Failed,
        (None, true) => State::Cancelled,
        (None, false) => State::Succeeded,
    };
    let rows = Entity::update_many()
        .col_expr(Column::State, Expr::value(state))
        .col_expr(Column::FinishedAt, time::now(conn, now))
        .filter(Column::JobId.eq(parent.job_id))
        .filter(Column::State.eq(State::Waiting))
        .exec_with_returning(conn)
        .await?;
    Ok(rows.into_iter().next())
}

/// Sets the result: the summed counters of the children that have ended, or none for a job that runs again.
pub async fn set_result(conn: &impl Conn, job: JobId, result: Option<Json>) -> Result<()> {
    Entity::update_many()
        .col_expr(Column::Result, Expr::value(result))
        .filter(Column::JobId.eq(job))
        .exec(conn)
        .await?;
    Ok(())
}
