//! Jobs of dead processes.
//!
//! A process that crashes interrupts all its runs, and the job that caused the crash is unknown. The first crash costs
//! a job no attempt, because processes are killed for many reasons. The second consecutive crash moves it to the
//! quarantine class, where a process runs one job at a time; only crashes there cost an attempt. So a job that kills
//! its process is isolated after two crashes, and other jobs lose no attempt to it.

use std::time::Duration;

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait, LockBehavior, LockType};
use sea_orm::{Condition, QueryOrder, QuerySelect};

use super::model::{Class, Column, Entity, Failure, Model, State};
use super::time;
use crate::{Conn, JobId, Result, Timestamp, worker};

/// Consecutive crashes after which a job is quarantined.
pub const QUARANTINE_AFTER: i32 = 2;

impl Model {
    /// Whether one more crash exhausts its attempts.
    pub fn crash_is_final(&self) -> bool {
        self.class == Class::Quarantine && self.attempt >= self.max_attempts
    }
}

/// Running jobs of processes without a row, by ascending id from the one after `after` on. On Postgres locked ones are
/// left out.
pub async fn orphaned(conn: &impl Conn, after: Option<JobId>, limit: u64) -> Result<Vec<Model>> {
    Entity::find()
        .filter(State::Running.is())
        .filter(Column::Worker.not_in_subquery(worker::registered()))
        .filter(Condition::all().add_option(after.map(|after| Column::JobId.gt(after))))
        .order_by_asc(Column::JobId)
        .limit(limit)
        .lock_with_behavior(LockType::NoKeyUpdate, LockBehavior::SkipLocked)
        .all(conn)
        .await
}

/// Queues the job of a crashed process again, due after `wait`. `None` if it was rescued or ended meanwhile.
pub async fn requeue(
    conn: &impl Conn,
    job: &Model,
    failure: &Failure,
    wait: Duration,
    now: Timestamp,
) -> Result<Option<Model>> {
    let burned = i32::from(job.class == Class::Quarantine);
    let mut update = job
        .claim()
        .update()
        .col_expr(Column::State, Expr::value(State::Queued))
        .col_expr(Column::Attempt, Expr::col(Column::Attempt).sub(1 - burned))
        .col_expr(Column::Crashes, Expr::col(Column::Crashes).add(1))
        .col_expr(Column::RunAt, time::after(conn, now, wait))
        .col_expr(Column::Error, Expr::value(failure.to_json()))
        .col_expr(Column::Errors, Expr::value(job.history_with(failure, now)))
        .filter(Column::CancelRequested.eq(false));
    if job.crashes + 1 >= QUARANTINE_AFTER {
        update = update.col_expr(Column::Class, Expr::value(Class::Quarantine));
    }
    Ok(update.exec_with_returning(conn).await?.into_iter().next())
}
