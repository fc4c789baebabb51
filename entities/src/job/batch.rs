//! Statements that update many jobs at once: a commit costs the same for one and for a hundred.
//!
//! Rows are locked in the order of their ids, so two such statements never deadlock.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{
    CommonTableExpression, Expr, ExprTrait, LockBehavior, LockType, Order, Query, SelectStatement,
    SimpleExpr, UpdateStatement, WithQuery,
};
use sea_orm::{DatabaseBackend, FromQueryResult, Iterable, StatementBuilder};

use super::model::{Column, Entity, State};
use crate::{Conn, Result, lists};

/// The alias of the rows that [`update_chosen`] updates.
const CHOSEN: &str = "chosen";

/// Claimed jobs to update.
pub(super) struct Claimed<const N: usize> {
    /// Job, token and, of four values, the process that holds the claim and the result that the update sets.
    pub(super) rows: Vec<[Value; N]>,
    /// Jobs in another state stay unchanged.
    pub(super) state: State,
    /// A further condition.
    pub(super) only: Option<SimpleExpr>,
    /// For jobs that another transaction has locked; without it the statement waits. Not for a single job.
    pub(super) locked: Option<LockBehavior>,
}

/// Updates the claimed jobs whose claims are still current, and returns them.
pub(super) async fn update_claimed<M: FromQueryResult, const N: usize>(
    conn: &impl Conn,
    claimed: Claimed<N>,
    mut update: UpdateStatement,
    returning: impl IntoIterator<Item = SimpleExpr>,
) -> Result<Vec<M>> {
    let Claimed { rows, state, only, locked } = claimed;
    if let [row] = rows.as_slice() {
        // Faster for one job.
        update.table(Entity).and_where(Column::JobId.eq(row[0].clone()));
        update.and_where(Column::Token.eq(row[1].clone())).and_where(state.is_unindexed());
        only.map(|only| update.and_where(only));
        row.get(2).map(|worker| update.and_where(Column::Worker.eq(worker.clone())));
        row.get(3).map(|result| update.value(Column::Result, Expr::value(result.clone())));
        return fetch(conn, update.returning(Query::returning().exprs(returning)).take()).await;
    }
    let given = |column| Expr::col(("given", column));
    let mut which = Query::select();
    which
        .expr_as(Expr::col((Entity, Column::JobId)), "id")
        .from(Entity)
        .from_subquery(lists::table(conn, rows), "given")
        .and_where(Expr::col((Entity, Column::JobId)).eq(given("column1")))
        .and_where(Expr::col((Entity, Column::Token)).eq(given("column2")))
        .and_where(state.is_unindexed())
        .order_by((Entity, Column::JobId), Order::Asc);
    only.map(|only| which.and_where(only));
    if N > 2 {
        which.and_where(Expr::col((Entity, Column::Worker)).eq(given("column3")));
        which.expr_as(given("column4"), "result");
        update.value(Column::Result, Expr::col((CHOSEN, "result")));
    }
    if conn.get_database_backend() == DatabaseBackend::Postgres {
        match locked {
            Some(behavior) => which.lock_with_tables_behavior(LockType::Update, [Entity], behavior),
            None => which.lock_with_tables(LockType::Update, [Entity]),
        };
    }
    update_chosen(conn, which, update, returning).await
}

/// Updates the jobs whose ids `which` selects as `id`, which is read once and before the update, as `chosen`; returns
/// them.
pub(super) async fn update_chosen<M: FromQueryResult>(
    conn: &impl Conn,
    which: SelectStatement,
    mut update: UpdateStatement,
    returning: impl IntoIterator<Item = SimpleExpr>,
) -> Result<Vec<M>> {
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
    fetch(conn, statement).await
}

pub(super) fn whole_row() -> impl Iterator<Item = SimpleExpr> {
    Column::iter().map(Column::into_expr)
}

pub(super) async fn fetch<M: FromQueryResult>(
    conn: &impl Conn,
    statement: impl StatementBuilder,
) -> Result<Vec<M>> {
    conn.query_all(&statement).await?.iter().map(|row| M::from_query_result(row, "")).collect()
}
