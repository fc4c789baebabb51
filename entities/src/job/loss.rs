//! Runs that were lost: they ended with their worker, or hung until their lease ended, without a word.
//!
//! A job may be innocent of that, or be what took its worker down. The first [`FREE`] losses in a row burn no attempt.
//! After them it is a suspect: it is claimed by [`claim_suspect`] only, by a worker that sees to it that no other suspect
//! runs beside it, and every further loss burns an attempt. The reasoning stands in the `queue` crate.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait, SimpleExpr};
use sea_orm::{QueryOrder, QuerySelect};

use super::lifecycle::{Held, failure_json};
use super::{Column, Entity, Failure, Model, State};
use crate::{JobId, Timestamp};

/// Losses in a row that burn no attempt; a job with so many is a suspect.
pub const FREE: i32 = 2;

impl Model {
    /// It may be what takes its workers down.
    pub fn is_suspect(&self) -> bool {
        self.losses >= FREE
    }

    /// Whether one more loss leaves it without an attempt.
    pub fn is_lost_for_good(&self) -> bool {
        self.is_suspect() && self.attempt >= self.max_attempts
    }
}

/// How one knows that nobody runs the job any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// Its lease ended before this time.
    LeaseEnded(Timestamp),
    /// The broker says that whoever got its message has gone away.
    Redelivered,
}

/// Running jobs whose lease ends before `before`.
pub async fn expired<C: ConnectionTrait>(
    conn: &C,
    before: Timestamp,
    limit: u64,
) -> Result<Vec<Model>, DbErr> {
    Entity::find()
        .filter(Column::State.eq(State::Running))
        .filter(Column::LeaseUntil.lt(before))
        .order_by_asc(Column::LeaseUntil)
        .limit(limit)
        .all(conn)
        .await
}

/// The job, where it is run by whoever claimed it with a ticket of this lease number.
pub async fn held_by_ticket<C: ConnectionTrait>(
    conn: &C,
    job: JobId,
    ticket_lease: i64,
) -> Result<Option<Model>, DbErr> {
    Entity::find_by_id(job)
        .filter(Column::State.eq(State::Running))
        .filter(Column::Lease.eq(ticket_lease + 1))
        .one(conn)
        .await
}

/// Takes a lost job back: to be run at once, or after `pause`, its reply address as in `lost`. `None`: it was extended, ended or taken meanwhile.
pub async fn take_back<C: ConnectionTrait>(
    conn: &C,
    lost: &Model,
    (failure, sign): (&Failure, Sign),
    (now, pause): (Timestamp, Option<std::time::Duration>),
) -> Result<Option<Model>, DbErr> {
    let state = if pause.is_some() { State::Retrying } else { State::Queued };
    let burnt = i32::from(lost.is_suspect());
    let mut update = Held::of(lost)
        .update()
        .col_expr(Column::State, Expr::value(state))
        .col_expr(Column::Attempt, Expr::col(Column::Attempt).sub(1 - burnt))
        .col_expr(Column::Losses, Expr::col(Column::Losses).add(1))
        .col_expr(Column::LeaseUntil, Expr::value(Option::<Timestamp>::None))
        .col_expr(Column::RunAt, Expr::value(now + pause.unwrap_or_default()))
        .col_expr(Column::PublishedAt, Expr::value(Option::<Timestamp>::None))
        .col_expr(Column::ReplyTo, Expr::value(lost.reply_to.clone()))
        .col_expr(Column::Error, Expr::value(failure_json(failure)))
        .col_expr(Column::Errors, Expr::value(lost.history_with(failure, now)));
    if let Sign::LeaseEnded(before) = sign {
        update = update.filter(Column::LeaseUntil.lt(before));
    }
    Ok(update.exec_with_returning(conn).await?.into_iter().next())
}

/// Whether the job is queued, and a suspect.
pub async fn is_queued_suspect<C: ConnectionTrait>(conn: &C, job: JobId) -> Result<bool, DbErr> {
    let queued = Entity::find_by_id(job)
        .filter(Column::State.eq(State::Queued))
        .filter(Column::Losses.gte(FREE))
        .count(conn)
        .await?;
    Ok(queued > 0)
}

/// Claims a queued suspect. `None`: it is not to be had, or is none.
pub async fn claim_suspect<C: ConnectionTrait>(
    conn: &C,
    job: JobId,
    worker: &str,
    (now, lease_until): (Timestamp, Timestamp),
) -> Result<Option<Model>, DbErr> {
    let which = Column::JobId.eq(job).and(Column::Losses.gte(FREE));
    Ok(super::batch::claim_where(conn, which, worker, (now, lease_until)).await?.into_iter().next())
}

/// Puts a queued suspect aside until `run_at`: where its message came to another suspect runs.
pub async fn postpone<C: ConnectionTrait>(conn: &C, job: JobId, run_at: Timestamp) -> Result<bool, DbErr> {
    let done = Entity::update_many()
        .col_expr(Column::State, Expr::value(State::Retrying))
        .col_expr(Column::RunAt, Expr::value(run_at))
        .filter(Column::JobId.eq(job))
        .filter(Column::State.eq(State::Queued))
        .filter(Column::Losses.gte(FREE))
        .exec(conn)
        .await?;
    Ok(done.rows_affected == 1)
}

/// What a claim that looks for no suspects may take.
pub(super) fn unsuspected() -> SimpleExpr {
    Column::Losses.lt(FREE)
}
