//! Claims and plain ends of many jobs in one statement: a commit costs the same for one and for a hundred.
//!
//! Lists are padded to a power of two by repeating their last element, which changes nothing, so that a handful of
//! prepared statements serves all lengths.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait, SimpleExpr};
use sea_orm::{Statement, Value};

use super::lifecycle::Held;
use super::loss::unsuspected;
use super::{Column, Entity, Model, State};
use crate::{JobId, Timestamp};

/// The longest list of one statement.
pub const MOST: usize = 128;

/// Claims those of the jobs that are queued and no suspects, for one worker. Who is missing in the answer is not to be
/// had.
pub async fn claim<C: ConnectionTrait>(
    conn: &C,
    jobs: &[JobId],
    worker: &str,
    times: (Timestamp, Timestamp),
) -> Result<Vec<Model>, DbErr> {
    claim_where(conn, Column::JobId.is_in(padded(jobs)).and(unsuspected()), worker, times).await
}

/// Takes queued jobs: state, attempt, lease number and holder in one guarded statement.
pub(super) async fn claim_where<C: ConnectionTrait>(
    conn: &C,
    which: SimpleExpr,
    worker: &str,
    (now, lease_until): (Timestamp, Timestamp),
) -> Result<Vec<Model>, DbErr> {
    Entity::update_many()
        .col_expr(Column::State, Expr::value(State::Running))
        .col_expr(Column::Attempt, Expr::col(Column::Attempt).add(1))
        .col_expr(Column::Lease, Expr::col(Column::Lease).add(1))
        .col_expr(Column::LeaseUntil, Expr::value(lease_until))
        .col_expr(Column::Worker, Expr::value(worker))
        .col_expr(Column::StartedAt, Expr::col(Column::StartedAt).if_null(Expr::value(now)))
        .filter(which)
        .filter(Column::State.eq(State::Queued))
        .exec_with_returning(conn)
        .await
}

/// Ends claimed jobs well, each with its result. Who is missing in the answer had lost its claim.
pub async fn succeed<C: ConnectionTrait>(
    conn: &C,
    ended: &[(Held, Json)],
    now: Timestamp,
) -> Result<Vec<JobId>, DbErr> {
    let rows = padded(ended);
    let sql = format!(
        "UPDATE job SET state = 'succeeded', lease_until = NULL, finished_at = $1, result = ended.column3, error = NULL \
         FROM ({}) AS ended \
         WHERE job_id = ended.column1 AND lease = ended.column2 AND state = 'running' RETURNING job_id",
        values_list(rows.len(), 3)
    );
    let mut values: Vec<Value> = vec![now.into()];
    for (held, result) in rows {
        values.extend([held.job.into(), held.lease.into(), result.into()]);
    }
    let statement = Statement::from_sql_and_values(conn.get_database_backend(), sql, values);
    conn.query_all_raw(statement).await?.iter().map(|row| row.try_get("", "job_id")).collect()
}

/// `VALUES` with places for rows of so many columns, numbered from $2: $1 is the time. Both databases name the columns
/// column1, column2, …
pub(super) fn values_list(rows: usize, columns: usize) -> String {
    let row = |row: usize| {
        let places: Vec<String> =
            (0..columns).map(|column| format!("${}", row * columns + column + 2)).collect();
        format!("({})", places.join(", "))
    };
    let rows: Vec<String> = (0..rows).map(row).collect();
    format!("VALUES {}", rows.join(", "))
}

/// The list, its last element repeated until the length is a power of two.
pub(super) fn padded<T: Clone>(list: &[T]) -> Vec<T> {
    let mut padded = list.to_vec();
    if let Some(last) = list.last() {
        padded.resize(list.len().next_power_of_two(), last.clone());
    }
    padded
}
