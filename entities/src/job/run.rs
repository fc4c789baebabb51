//! Writes of the holder of a claim. Every statement names the fencing token and returns whether it hit.

use std::time::Duration;

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{BinOper, Expr, ExprTrait, LockType, Query};
use sea_orm::{FromQueryResult, QuerySelect};

use super::batch::{Claimed, update_claimed};
use super::model::{Claim, Class, Column, Entity, Failure, Known, Model, State};
use super::{time, turns};
use crate::{Conn, GuildId, JobId, Result, Timestamp};

impl Claim {
    /// The update that hits only while this claim is the newest.
    pub(super) fn update(self) -> sea_orm::UpdateMany<Entity> {
        Entity::update_many()
            .filter(Column::JobId.eq(self.job))
            .filter(Column::Token.eq(self.token))
            .filter(Column::Worker.eq(self.worker))
            .filter(State::Running.is_unindexed())
    }

    pub(super) fn update_progress(
        self,
        conn: &impl Conn,
        known: Known,
        now: Timestamp,
    ) -> sea_orm::UpdateMany<Entity> {
        let Known { progress, saves } = known;
        self.update()
            .filter(Column::Saves.eq(saves))
            .col_expr(Column::ProgressDone, Expr::value(progress.done))
            .col_expr(Column::ProgressTotal, Expr::value(progress.total))
            .col_expr(Column::ProgressFailed, Expr::value(progress.failed))
            .col_expr(Column::ProgressAt, time::now(conn, now))
    }
}

/// Whether a cancel was requested; `None`: the claim is lost.
pub async fn confirm(conn: &impl Conn, claim: Claim) -> Result<Option<bool>> {
    Entity::find_by_id(claim.job)
        .select_only()
        .column(Column::CancelRequested)
        .filter(Column::Token.eq(claim.token))
        .filter(Column::Worker.eq(claim.worker))
        .filter(State::Running.is_unindexed())
        .into_tuple()
        .one(conn)
        .await
}

/// Like [`confirm`], with the row locked until the transaction ends: no other run of the job can begin before. False: the
/// claim is lost.
pub async fn hold(conn: &impl Conn, claim: Claim) -> Result<bool> {
    let own = Entity::find_by_id(claim.job)
        .select_only()
        .column(Column::JobId)
        .filter(Column::Token.eq(claim.token))
        .filter(Column::Worker.eq(claim.worker))
        .filter(State::Running.is_unindexed())
        .lock(LockType::NoKeyUpdate);
    Ok(own.into_tuple::<JobId>().one(conn).await?.is_some())
}

/// A claim that the database assigns to a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Running {
    pub claim: Claim,
    pub cancel_requested: bool,
}

/// All claims that the database assigns to this process.
pub async fn of_worker(conn: &impl Conn, worker: &str) -> Result<Vec<Running>> {
    let rows: Vec<(JobId, i64, bool)> = Entity::find()
        .select_only()
        .columns([Column::JobId, Column::Token, Column::CancelRequested])
        .filter(Column::Worker.eq(worker))
        .filter(State::Running.is())
        .into_tuple()
        .all(conn)
        .await?;
    let running = |(job, token, cancel_requested)| Running {
        claim: Claim { job, token, worker: worker.to_owned() },
        cancel_requested,
    };
    Ok(rows.into_iter().map(running).collect())
}

pub async fn count_of(conn: &impl Conn, worker: &str) -> Result<u64> {
    Entity::find().filter(Column::Worker.eq(worker)).filter(State::Running.is()).count(conn).await
}

/// The progress of a run; for a chunk with its counters so far.
#[derive(Debug)]
pub struct Reached {
    pub checkpoint: Json,
    pub counters: Option<Json>,
    pub known: Known,
}

/// Stores the progress of a run. False: the claim is lost.
pub async fn checkpoint(conn: &impl Conn, claim: Claim, reached: Reached, now: Timestamp) -> Result<bool> {
    let mut update = claim
        .update_progress(conn, reached.known, now)
        .col_expr(Column::Saves, Expr::value(reached.known.saves + 1))
        .col_expr(Column::Checkpoint, Expr::value(reached.checkpoint));
    if let Some(counters) = reached.counters {
        update = update.col_expr(Column::Result, Expr::value(counters));
    }
    Ok(update.exec(conn).await?.rows_affected == 1)
}

/// The final outcome of a job.
#[derive(Debug, Clone, PartialEq)]
pub enum Ending {
    Succeeded(Json),
    Failed(Failure),
    Dead(Failure),
    Cancelled,
}

impl Ending {
    fn state(&self) -> State {
        match self {
            Self::Succeeded(_) => State::Succeeded,
            Self::Failed(_) => State::Failed,
            Self::Dead(_) => State::Dead,
            Self::Cancelled => State::Cancelled,
        }
    }

    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Self::Failed(failure) | Self::Dead(failure) => Some(failure),
            Self::Succeeded(_) | Self::Cancelled => None,
        }
    }
}

/// Ends a claimed job, with its last progress if it has any. Returns the updated row; `None`: the claim is lost.
pub async fn end(
    conn: &impl Conn,
    job: &Model,
    ending: &Ending,
    known: Known,
    now: Timestamp,
) -> Result<Option<Model>> {
    let claim = job.claim();
    let update =
        if known.progress.total > 0 { claim.update_progress(conn, known, now) } else { claim.update() };
    let mut update = update
        .col_expr(Column::State, Expr::value(ending.state()))
        .col_expr(Column::FinishedAt, time::now(conn, now));
    if *ending == Ending::Cancelled {
        // A run may have seen a request that a failover lost.
        update = update.filter(Column::CancelRequested.eq(true));
    }
    if let Ending::Succeeded(result) = ending {
        // Failures of earlier attempts are not an error of a succeeded job.
        update = update
            .col_expr(Column::Result, Expr::value(result.clone()))
            .col_expr(Column::Error, Expr::value(Option::<Json>::None));
    }
    if let Some(failure) = ending.failure() {
        update = update
            .col_expr(Column::Error, Expr::value(failure.to_json()))
            .col_expr(Column::Errors, Expr::value(job.history_with(failure, now)));
    }
    Ok(update.exec_with_returning(conn).await?.into_iter().next())
}

/// An ended job, and the guild and class whose share it used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromQueryResult)]
pub struct Ended {
    pub job_id: JobId,
    pub guild_id: Option<GuildId>,
    pub class: Class,
    /// Other jobs of its guild are held.
    pub holds_others: bool,
}

/// Ends claimed jobs as succeeded, each with its result, in one statement that locks rows in the order of their ids.
/// Jobs absent from the result had lost their claim.
pub async fn succeed(conn: &impl Conn, ended: &[(Claim, Json)], now: Timestamp) -> Result<Vec<Ended>> {
    let holds_others = turns::holds_others().binary(BinOper::As, Expr::col("holds_others"));
    let returning = [Column::JobId, Column::GuildId, Column::Class].map(Column::into_expr);
    let returning = returning.into_iter().chain([holds_others]);
    let mut update = Query::update();
    update
        .value(Column::State, Expr::value(State::Succeeded))
        .value(Column::FinishedAt, time::now(conn, now))
        .value(Column::Error, Expr::value(Option::<Json>::None));
    let row = |(claim, result): &(Claim, Json)| {
        [claim.job.into(), claim.token.into(), claim.worker.clone().into(), result.clone().into()]
    };
    let rows = ended.iter().map(row).collect();
    let claimed = Claimed { rows, state: State::Running, only: None, locked: None };
    update_claimed(conn, claimed, update, returning).await
}

/// How a claimed job returns to the queue.
#[derive(Debug, Clone, Default)]
pub struct Requeue<'a> {
    pub wait: Duration,
    /// The attempt counts.
    pub burn: bool,
    /// The failure, shown until another run succeeds.
    pub failure: Option<&'a Failure>,
    /// The class in which it was enqueued: a run that ends without a crash leaves quarantine.
    pub class: Option<Class>,
    pub reply_to: Option<&'a str>,
}

/// Releases a claimed job. `None`: the claim is lost, or a cancel was requested, which rules out a next run.
pub async fn requeue(
    conn: &impl Conn,
    job: &Model,
    how: Requeue<'_>,
    now: Timestamp,
) -> Result<Option<Model>> {
    let mut update = job
        .claim()
        .update()
        .col_expr(Column::State, Expr::value(State::Queued))
        .col_expr(Column::Crashes, Expr::value(0))
        .col_expr(Column::RunAt, time::after(conn, now, how.wait))
        .col_expr(Column::ReplyTo, Expr::value(how.reply_to.map(str::to_owned)))
        .filter(Column::CancelRequested.eq(false));
    if let Some(class) = how.class {
        update = update.col_expr(Column::Class, Expr::value(class));
    }
    if let Some(failure) = how.failure {
        update = update.col_expr(Column::Error, Expr::value(failure.to_json()));
    }
    match how.failure.filter(|_| how.burn) {
        Some(failure) => {
            update = update.col_expr(Column::Errors, Expr::value(job.history_with(failure, now)));
        }
        None => update = update.col_expr(Column::Attempt, Expr::col(Column::Attempt).sub(1)),
    }
    Ok(update.exec_with_returning(conn).await?.into_iter().next())
}
