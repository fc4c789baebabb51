//! Cancels jobs: a job that has not started ends at once, a running job is requested to stop.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::Expr;
use sea_orm::{QueryOrder, QuerySelect};

use super::model::{Column, Entity, Model, State};
use super::time;
use crate::{Conn, GuildId, JobId, Result, Timestamp};

/// States in which no worker runs the job.
const IDLE: [State; 2] = [State::Queued, State::Held];

/// Requests the job to stop, and ends it if no worker runs it. Returns the updated job; its children go on
/// ([`stop_children`]).
pub async fn request(conn: &impl Conn, job: JobId, now: Timestamp) -> Result<Option<Model>> {
    Entity::update_many()
        .col_expr(Column::CancelRequested, Expr::value(true))
        .filter(Column::JobId.eq(job))
        .filter(Column::FinishedAt.is_null())
        .exec(conn)
        .await?;
    end_idle(conn, Column::JobId.eq(job), now).await?;
    Entity::find_by_id(job).one(conn).await
}

/// The children of a stopped job.
#[derive(Debug)]
pub struct Stopped {
    /// What those that ended had done in earlier runs.
    pub results: Vec<Json>,
    pub running: Vec<JobId>,
}

/// Ends the children that no worker runs and requests the running ones to stop.
pub async fn stop_children(conn: &impl Conn, parent: JobId, now: Timestamp) -> Result<Stopped> {
    let ended = end_idle(conn, Column::ParentId.eq(parent), now).await?;
    let running = Entity::update_many()
        .col_expr(Column::CancelRequested, Expr::value(true))
        .filter(Column::ParentId.eq(parent))
        .filter(Column::State.eq(State::Running))
        .exec_with_returning(conn)
        .await?;
    let results = ended.into_iter().filter_map(|child| child.result).collect();
    Ok(Stopped { results, running: running.into_iter().map(|child| child.job_id).collect() })
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

async fn end_idle(
    conn: &impl Conn,
    which: sea_orm::sea_query::SimpleExpr,
    now: Timestamp,
) -> Result<Vec<Model>> {
    Entity::update_many()
        .col_expr(Column::State, Expr::value(State::Cancelled))
        .col_expr(Column::CancelRequested, Expr::value(true))
        .col_expr(Column::FinishedAt, time::now(conn, now))
        .filter(which)
        .filter(Column::State.is_in(IDLE))
        .exec_with_returning(conn)
        .await
}
