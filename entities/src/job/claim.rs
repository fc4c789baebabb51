//! Claims of jobs, many in one statement.
//!
//! A claim names the fencing token of its message, so a stale or duplicate message claims nothing. On Postgres rows are
//! locked in the order of their ids, and locked rows are skipped: the safety net finds them later. So claims neither
//! wait nor deadlock.

use std::time::Duration;

use sea_orm::DatabaseBackend;
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait, LockBehavior, LockType, Order, Query, UpdateStatement};

use super::batch::{Claimed, update_chosen, update_claimed, whole_row};
use super::model::{Class, Column, Entity, Model, Published, State};
use super::time;
use crate::{Conn, Result, Timestamp, job_pause};

/// The longest list of one statement. On Postgres each is a round trip and a commit; on SQLite a longer list costs more
/// than it saves.
pub fn most(postgres: bool) -> usize {
    if postgres { 256 } else { 128 }
}

/// Claims the published jobs that are still queued under the published token and not paused. Jobs absent from the
/// result could not be claimed.
pub async fn published(
    conn: &impl Conn,
    messages: &[Published],
    worker: &str,
    now: Timestamp,
) -> Result<Vec<Model>> {
    let claimed = Claimed {
        rows: messages.iter().map(|message| [message.job.into(), message.token.into()]).collect(),
        state: State::Queued,
        only: Some(job_pause::covers_job().not()),
        locked: Some(LockBehavior::SkipLocked),
    };
    update_claimed(conn, claimed, take(conn, worker, now), whole_row()).await
}

/// Which jobs the safety net may claim.
#[derive(Debug, Clone, Copy)]
pub struct Available<'a> {
    pub class: Class,
    pub kinds: &'a [&'static str],
    /// Jobs available for longer than this.
    pub since: Duration,
    /// Or delayed by as much relative to a job that became available at this time.
    pub overtaken: Option<Timestamp>,
    pub most: u64,
}

/// Claims jobs that have been available for a while without a message, oldest first.
pub async fn available(
    conn: &impl Conn,
    wanted: Available<'_>,
    worker: &str,
    now: Timestamp,
) -> Result<Vec<Model>> {
    let mut which = Query::select();
    which
        .expr_as(Expr::col((Entity, Column::JobId)), "id")
        .from(Entity)
        .and_where(State::Queued.is())
        .and_where(Column::Class.eq(wanted.class))
        .and_where(Expr::col(Column::RunAt).lte(time::before(conn, now, wanted.since)))
        .and_where(Column::Kind.is_in(wanted.kinds.iter().copied()))
        .order_by(Column::RunAt, Order::Asc)
        .limit(wanted.most);
    if let Some(newest) = wanted.overtaken {
        which.and_where(Column::RunAt.lte(newest - wanted.since));
    }
    which.and_where(job_pause::covers_job().not());
    if conn.get_database_backend() == DatabaseBackend::Postgres {
        which.lock_with_tables_behavior(LockType::Update, [Entity], LockBehavior::SkipLocked);
    }
    update_chosen(conn, which, take(conn, worker, now), whole_row()).await
}

/// Sets what a claim does to a queued job: state, attempt, fencing token and worker.
fn take(conn: &impl Conn, worker: &str, now: Timestamp) -> UpdateStatement {
    let mut update = Query::update();
    update
        .value(Column::State, Expr::value(State::Running))
        .value(Column::Attempt, Expr::col((Entity, Column::Attempt)).add(1))
        .value(Column::Token, Expr::col((Entity, Column::Token)).add(1))
        .value(Column::Worker, Expr::value(worker))
        .value(Column::StartedAt, Expr::col((Entity, Column::StartedAt)).if_null(time::now(conn, now)));
    update
}
