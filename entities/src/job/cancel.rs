//! Cancels jobs: a job that has not started ends at once, a running job is requested to stop, and a dead one is given up.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{CaseStatement, Expr, ExprTrait, Query, SimpleExpr, UpdateStatement};
use sea_orm::{FromQueryResult, QueryOrder, QuerySelect};

use super::batch::{fetch, whole_row};
use super::model::{Column, Entity, Model, State};
use super::time;
use crate::{Conn, GuildId, JobId, Result, Timestamp};

/// States in which no worker runs the job.
const IDLE: [State; 3] = [State::Queued, State::Held, State::Dead];

/// Requests the job to stop, and ends it if no worker runs it. Returns the row, locked until the transaction ends if it
/// is unfinished or dead. Its children go on ([`stop_children`]).
pub async fn request(conn: &impl Conn, job: JobId, now: Timestamp) -> Result<Option<Model>> {
    let cancellable = State::OPEN.into_iter().chain([State::Dead]);
    let which = Column::JobId.eq(job).and(Column::State.is_in(cancellable));
    let stopped = fetch(conn, stop(conn, which, now, whole_row())).await?;
    match stopped.into_iter().next() {
        Some(row) => Ok(Some(row)),
        None => Entity::find_by_id(job).one(conn).await,
    }
}

/// A child that was stopped: it has ended, or runs until its next step.
#[derive(Debug, FromQueryResult)]
pub struct Stopped {
    pub job_id: JobId,
    pub state: State,
    /// Its progress in earlier runs.
    pub result: Option<Json>,
}

/// Ends the children that no worker runs and requests the running ones to stop. Arguments are not read: those of a
/// large guild's chunks are hundreds of megabytes.
pub async fn stop_children(conn: &impl Conn, parent: JobId, now: Timestamp) -> Result<Vec<Stopped>> {
    let returning = [Column::JobId, Column::State, Column::Result].map(Column::into_expr);
    let which = Column::ParentId.eq(parent).and(Column::State.is_in(State::OPEN));
    fetch(conn, stop(conn, which, now, returning)).await
}

/// Locks the unfinished jobs of a guild that is about to be deleted, parents before their chunks as workers do, and
/// returns the running ones.
pub async fn lock_open(conn: &impl Conn, guild: GuildId) -> Result<Vec<JobId>> {
    let open: Vec<(JobId, State)> = Entity::find()
        .select_only()
        .columns([Column::JobId, Column::State])
        .filter(Column::GuildId.eq(guild))
        .filter(Column::FinishedAt.is_null())
        .order_by_asc(Column::JobId)
        .lock_exclusive()
        .into_tuple()
        .all(conn)
        .await?;
    Ok(open.into_iter().filter(|(_, state)| *state == State::Running).map(|(job, _)| job).collect())
}

fn stop(
    conn: &impl Conn,
    which: SimpleExpr,
    now: Timestamp,
    returning: impl IntoIterator<Item = SimpleExpr>,
) -> UpdateStatement {
    let idle = || Column::State.is_in(IDLE);
    let if_idle = |then: SimpleExpr, column: Column| {
        CaseStatement::new().case(idle(), then).finally(column.into_expr())
    };
    Query::update()
        .table(Entity)
        .value(Column::CancelRequested, true)
        .value(Column::State, if_idle(Expr::value(State::Cancelled), Column::State))
        .value(Column::FinishedAt, if_idle(time::now(conn, now), Column::FinishedAt))
        .and_where(which)
        .returning(Query::returning().exprs(returning))
        .take()
}
