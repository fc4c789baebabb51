//! One job from insert to end. Every write after the claim is guarded by the lease number and returns whether it hit.

use std::time::Duration;

use sea_orm::ActiveValue::Set;
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict};

use super::{ActiveModel, Class, Column, Entity, Failure, Model, State};
use crate::audit_entry::Actor;
use crate::{GuildId, JobId, Timestamp};

/// A job to be inserted. `run_at: None` with state `Scheduled` is a chunk that waits for its turn.
#[derive(Debug, Clone)]
pub struct NewJob {
    pub id: JobId,
    pub guild: Option<GuildId>,
    pub parent: Option<JobId>,
    pub kind: &'static str,
    pub class: Class,
    pub args: Json,
    pub state: State,
    pub run_at: Option<Timestamp>,
    pub max_attempts: i32,
    pub dedupe_key: Option<String>,
    pub total: i64,
    pub actor: Actor,
}

impl NewJob {
    fn row(self, now: Timestamp) -> ActiveModel {
        ActiveModel {
            job_id: Set(self.id),
            guild_id: Set(self.guild),
            parent_id: Set(self.parent),
            kind: Set(self.kind.to_owned()),
            class: Set(self.class),
            args: Set(self.args),
            state: Set(self.state),
            attempt: Set(0),
            max_attempts: Set(self.max_attempts),
            lease: Set(0),
            run_at: Set(self.run_at),
            dedupe_key: Set(self.dedupe_key),
            progress_done: Set(0),
            progress_total: Set(self.total),
            progress_failed: Set(0),
            cancel_requested: Set(false),
            actor_id: Set(Some(self.actor.actor_id)),
            key_id: Set(self.actor.key_id),
            request_id: Set(self.actor.request_id),
            created_at: Set(now),
            ..Default::default()
        }
    }
}

/// Inserts a job; false when an unfinished one has the same guild, kind and dedupe key.
pub async fn insert<C: ConnectionTrait>(conn: &C, job: NewJob, now: Timestamp) -> Result<bool, DbErr> {
    let conflict = OnConflict::new().do_nothing().to_owned();
    Ok(Entity::insert(job.row(now)).on_conflict(conflict).exec_without_returning(conn).await? > 0)
}

/// The unfinished job that [`insert`] ran into.
pub async fn find_open_by_dedupe_key<C: ConnectionTrait>(
    conn: &C,
    guild: GuildId,
    kind: &str,
    dedupe_key: &str,
) -> Result<Option<Model>, DbErr> {
    Entity::find()
        .filter(Column::GuildId.eq(guild))
        .filter(Column::Kind.eq(kind))
        .filter(Column::DedupeKey.eq(dedupe_key))
        .filter(Column::FinishedAt.is_null())
        .one(conn)
        .await
}

/// Rows a statement: well under SQLite's limit of 32,766 bound values.
const ROWS_A_STATEMENT: usize = 500;

pub async fn insert_many<C: ConnectionTrait>(
    conn: &C,
    jobs: Vec<NewJob>,
    now: Timestamp,
) -> Result<(), DbErr> {
    let mut rows = jobs.into_iter().map(|job| job.row(now)).peekable();
    while rows.peek().is_some() {
        let batch: Vec<_> = rows.by_ref().take(ROWS_A_STATEMENT).collect();
        Entity::insert_many(batch).exec_without_returning(conn).await?;
    }
    Ok(())
}

/// A claim that is still to be honoured: the job and its lease number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    pub job: JobId,
    pub lease: i64,
}

impl Held {
    /// The claim that this row shows, as it was read or returned by the claim.
    pub fn of(job: &Model) -> Self {
        Self { job: job.job_id, lease: job.lease }
    }

    /// The update that hits only while this claim is the newest.
    pub(super) fn update(self) -> sea_orm::UpdateMany<Entity> {
        Entity::update_many()
            .filter(Column::JobId.eq(self.job))
            .filter(Column::Lease.eq(self.lease))
            .filter(Column::State.eq(State::Running))
    }

    pub(super) fn update_progress(self, progress: Progress, now: Timestamp) -> sea_orm::UpdateMany<Entity> {
        self.update()
            .col_expr(Column::ProgressDone, Expr::value(progress.done))
            .col_expr(Column::ProgressTotal, Expr::value(progress.total))
            .col_expr(Column::ProgressFailed, Expr::value(progress.failed))
            .col_expr(Column::ProgressAt, Expr::value(now))
    }
}

/// How far a job is: of `total` steps, `done` are over, and of those `failed` went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    pub done: i64,
    pub total: i64,
    pub failed: i64,
}

/// What a heartbeat learns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heartbeat {
    Held {
        cancel_requested: bool,
    },
    /// Somebody else has the job, or it is over: stop.
    Lost,
}

pub async fn heartbeat<C: ConnectionTrait>(
    conn: &C,
    held: Held,
    lease_until: Timestamp,
) -> Result<Heartbeat, DbErr> {
    let rows = held
        .update()
        .col_expr(Column::LeaseUntil, Expr::value(lease_until))
        .exec_with_returning(conn)
        .await?;
    Ok(rows.first().map_or(Heartbeat::Lost, |row| Heartbeat::Held { cancel_requested: row.cancel_requested }))
}

/// Keeps where a run has come to, its progress, and, of a chunk, the counters so far. False: the claim is lost.
pub async fn checkpoint<C: ConnectionTrait>(
    conn: &C,
    held: Held,
    (checkpoint, counters): (Json, Option<Json>),
    progress: Progress,
    now: Timestamp,
) -> Result<bool, DbErr> {
    let mut update =
        held.update_progress(progress, now).col_expr(Column::Checkpoint, Expr::value(checkpoint));
    if let Some(counters) = counters {
        update = update.col_expr(Column::Result, Expr::value(counters));
    }
    Ok(update.exec(conn).await?.rows_affected == 1)
}

/// How a run ends for good.
#[derive(Debug, Clone, PartialEq)]
pub enum Ending {
    Succeeded(Json),
    Failed(Failure),
    Dead(Failure),
    Cancelled,
}

impl Ending {
    pub fn state(&self) -> State {
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

/// Ends a claimed job, with its last progress where it has any. False: the claim is no longer the newest, nothing
/// changed.
pub async fn finish<C: ConnectionTrait>(
    conn: &C,
    job: &Model,
    ending: &Ending,
    progress: Option<Progress>,
    now: Timestamp,
) -> Result<bool, DbErr> {
    let held = Held::of(job);
    let update = progress.map_or_else(|| held.update(), |progress| held.update_progress(progress, now));
    let mut update = update
        .col_expr(Column::State, Expr::value(ending.state()))
        .col_expr(Column::LeaseUntil, Expr::value(Option::<Timestamp>::None))
        .col_expr(Column::FinishedAt, Expr::value(now));
    if let Ending::Succeeded(result) = ending {
        // What an earlier try ran into is no error of a job that ended well.
        update = update
            .col_expr(Column::Result, Expr::value(result.clone()))
            .col_expr(Column::Error, Expr::value(Option::<Json>::None));
    }
    if let Some(failure) = ending.failure() {
        update = update
            .col_expr(Column::Error, Expr::value(failure_json(failure)))
            .col_expr(Column::Errors, Expr::value(job.history_with(failure, now)));
    }
    Ok(update.exec(conn).await?.rows_affected == 1)
}

pub(super) fn failure_json(failure: &Failure) -> Json {
    serde_json::to_value(failure).unwrap_or(Json::Null)
}

/// Puts a claimed job aside for `pause`, its reply address kept for the next run. False also where a cancel was asked
/// for: such a job has no next run.
pub async fn retry<C: ConnectionTrait>(
    conn: &C,
    job: &Model,
    (failure, reply_to): (&Failure, Option<&str>),
    (now, pause): (Timestamp, Duration),
) -> Result<bool, DbErr> {
    let done = Held::of(job)
        .update()
        .col_expr(Column::State, Expr::value(State::Retrying))
        .col_expr(Column::Losses, Expr::value(0))
        .col_expr(Column::LeaseUntil, Expr::value(Option::<Timestamp>::None))
        .col_expr(Column::RunAt, Expr::value(now + pause))
        .col_expr(Column::Error, Expr::value(failure_json(failure)))
        .col_expr(Column::Errors, Expr::value(job.history_with(failure, now)))
        .col_expr(Column::ReplyTo, Expr::value(reply_to.map(str::to_owned)))
        .filter(Column::CancelRequested.eq(false))
        .exec(conn)
        .await?;
    Ok(done.rows_affected == 1)
}

/// Gives a claimed job back to the queue without burning the attempt: its time slice is over, or the worker stops.
pub async fn give_back<C: ConnectionTrait>(
    conn: &C,
    held: Held,
    now: Timestamp,
    reply_to: Option<&str>,
) -> Result<Option<Model>, DbErr> {
    let rows = held
        .update()
        .col_expr(Column::State, Expr::value(State::Queued))
        .col_expr(Column::Attempt, Expr::col(Column::Attempt).sub(1))
        .col_expr(Column::Losses, Expr::value(0))
        .col_expr(Column::LeaseUntil, Expr::value(Option::<Timestamp>::None))
        .col_expr(Column::RunAt, Expr::value(now))
        .col_expr(Column::PublishedAt, Expr::value(Option::<Timestamp>::None))
        .col_expr(Column::ReplyTo, Expr::value(reply_to.map(str::to_owned)))
        .exec_with_returning(conn)
        .await?;
    Ok(rows.into_iter().next())
}
