//! Claims, many in one statement: a commit costs the same for one and for a hundred.
//!
//! A claim names the fencing token that its message carried, so a stale or doubled message claims nothing. On Postgres
//! rows are locked in the order of their ids, and rows that another statement holds are skipped: the safety net finds
//! what stays available. So claims wait for nobody and deadlock with nobody.

use std::time::Duration;

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{
    CommonTableExpression, Expr, ExprTrait, LockBehavior, LockType, Order, Query, SelectStatement,
    SimpleExpr, UpdateStatement, WithQuery,
};
use sea_orm::{DatabaseBackend, FromQueryResult, Iterable, StatementBuilder};

use super::{Claim, Class, Column, Entity, Model, State, time};
use crate::{Timestamp, job_pause, lists};

/// What [`update_chosen`] calls the rows that it updates.
pub(super) const CHOSEN: &str = "chosen";

/// The longest list of one statement. On Postgres each is a round trip and a commit; on SQLite a longer list costs more
/// than it saves.
pub fn most(postgres: bool) -> usize {
    if postgres { 256 } else { 128 }
}

/// Claims those of the published jobs that are still queued as they were published, and not paused. Jobs absent from the
/// result could not be claimed.
pub async fn published<C: ConnectionTrait>(
    conn: &C,
    messages: &[Claim],
    worker: &str,
    now: Timestamp,
) -> Result<Vec<Model>, DbErr> {
    if let [one] = messages {
        let mut update = take(conn, worker, now);
        update.cond_where(one.in_state(State::Queued)).and_where(job_pause::covers_job().not());
        return update_returning(conn, update.table(Entity), whole_row()).await;
    }
    let rows = messages.iter().map(|claim| [claim.job.into(), claim.token.into()]).collect();
    let message = |column| Expr::col(("message", column));
    let mut which = Query::select();
    which
        .expr_as(Expr::col((Entity, Column::JobId)), "id")
        .from(Entity)
        .from_subquery(lists::table(conn, rows), "message")
        .and_where(Expr::col((Entity, Column::JobId)).eq(message("column1")))
        .and_where(Expr::col((Entity, Column::Token)).eq(message("column2")))
        .and_where(State::Queued.is_unindexed())
        .order_by((Entity, Column::JobId), Order::Asc);
    claim(conn, which, worker, now).await
}

/// What the safety net may claim.
#[derive(Debug, Clone, Copy)]
pub struct Available<'a> {
    pub class: Class,
    pub kinds: &'a [&'static str],
    /// Available for longer than this.
    pub since: Duration,
    /// And overtaken by as much by a job that became available at this time.
    pub overtaken: Option<Timestamp>,
    pub most: u64,
}

/// Claims what has been available for a while without a message, oldest first.
pub async fn available<C: ConnectionTrait>(
    conn: &C,
    wanted: Available<'_>,
    worker: &str,
    now: Timestamp,
) -> Result<Vec<Model>, DbErr> {
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
    claim(conn, which, worker, now).await
}

async fn claim<C: ConnectionTrait>(
    conn: &C,
    mut which: SelectStatement,
    worker: &str,
    now: Timestamp,
) -> Result<Vec<Model>, DbErr> {
    which.and_where(job_pause::covers_job().not());
    if conn.get_database_backend() == DatabaseBackend::Postgres {
        which.lock_with_tables_behavior(LockType::Update, [Entity], LockBehavior::SkipLocked);
    }
    update_chosen(conn, which, take(conn, worker, now), whole_row()).await
}

/// Sets what a claim does to a queued job: state, attempt, fencing token and worker.
fn take<C: ConnectionTrait>(conn: &C, worker: &str, now: Timestamp) -> UpdateStatement {
    let mut update = Query::update();
    update
        .value(Column::State, Expr::value(State::Running))
        .value(Column::Attempt, Expr::col((Entity, Column::Attempt)).add(1))
        .value(Column::Token, Expr::col((Entity, Column::Token)).add(1))
        .value(Column::Worker, Expr::value(worker))
        .value(Column::StartedAt, Expr::col((Entity, Column::StartedAt)).if_null(time::now(conn, now)));
    update
}

pub(super) fn whole_row() -> impl Iterator<Item = SimpleExpr> {
    Column::iter().map(Column::into_expr)
}

/// Updates the jobs whose ids `which` selects as `id`, which is read once and before the update, as `chosen`; returns
/// them.
pub(super) async fn update_chosen<C: ConnectionTrait, M: FromQueryResult>(
    conn: &C,
    which: SelectStatement,
    mut update: UpdateStatement,
    returning: impl IntoIterator<Item = SimpleExpr>,
) -> Result<Vec<M>, DbErr> {
    let mut chosen = CommonTableExpression::from_select(which);
    chosen.table_name(CHOSEN).materialized(true);
    let mut with = Query::with();
    with.cte(chosen);
    update
        .table(Entity)
        .from(CHOSEN)
        .and_where(Expr::col((Entity, Column::JobId)).equals((CHOSEN, "id")))
        .returning(Query::returning().exprs(returning));
    let mut statement = WithQuery::new();
    statement.with_clause(with).query(update);
    rows(conn, &statement).await
}

/// Updates jobs and returns them. Of one job, for which it is faster than [`update_chosen`].
pub(super) async fn update_returning<C: ConnectionTrait, M: FromQueryResult>(
    conn: &C,
    update: &mut UpdateStatement,
    returning: impl IntoIterator<Item = SimpleExpr>,
) -> Result<Vec<M>, DbErr> {
    rows(conn, update.returning(Query::returning().exprs(returning))).await
}

async fn rows<C: ConnectionTrait, M: FromQueryResult>(
    conn: &C,
    statement: &impl StatementBuilder,
) -> Result<Vec<M>, DbErr> {
    conn.query_all(statement).await?.iter().map(|row| M::from_query_result(row, "")).collect()
}
