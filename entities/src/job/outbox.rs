//! What the scheduler moves: unpublished jobs to the broker, due retries back to the queue; and replays.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{Condition, QueryOrder, QuerySelect, Statement, Value};

use super::batch::{padded, values_list};
use super::lifecycle::Held;
use super::{Class, Column, Entity, Model, State, Ticket};
use crate::{JobId, Timestamp};

/// Queued jobs that no broker has confirmed although they were queued before `before`, oldest first.
pub async fn unpublished<C: ConnectionTrait>(
    conn: &C,
    before: Timestamp,
    limit: u64,
) -> Result<Vec<Ticket>, DbErr> {
    let rows = Entity::find()
        .filter(Column::State.eq(State::Queued))
        .filter(Column::PublishedAt.is_null())
        .filter(Column::RunAt.lte(before))
        .order_by_asc(Column::RunAt)
        .limit(limit)
        .all(conn)
        .await?;
    Ok(rows.iter().map(Model::ticket).collect())
}

/// Notes that the broker has these, each as it was rung: with the lease number of its ticket. A job that was claimed
/// meanwhile is left as it is, also when it is queued again by now: that is another ring.
pub async fn mark_published<C: ConnectionTrait>(
    conn: &C,
    rung: &[Held],
    now: Timestamp,
) -> Result<(), DbErr> {
    let rows = padded(rung);
    let sql = format!(
        "UPDATE job SET published_at = $1 FROM ({}) AS rung \
         WHERE job_id = rung.column1 AND lease = rung.column2 AND state = 'queued'",
        values_list(rows.len(), 2)
    );
    let mut values: Vec<Value> = vec![now.into()];
    for held in rows {
        values.extend([held.job.into(), held.lease.into()]);
    }
    conn.execute_raw(Statement::from_sql_and_values(conn.get_database_backend(), sql, values)).await?;
    Ok(())
}

/// Forgets that jobs of the class were published before `published_before`: the broker no longer has them.
pub async fn unmark_published<C: ConnectionTrait>(
    conn: &C,
    class: Class,
    published_before: Timestamp,
) -> Result<u64, DbErr> {
    let done = Entity::update_many()
        .col_expr(Column::PublishedAt, Expr::value(Option::<Timestamp>::None))
        .filter(Column::Class.eq(class))
        .filter(Column::State.eq(State::Queued))
        .filter(Column::PublishedAt.lt(published_before))
        .exec(conn)
        .await?;
    Ok(done.rows_affected)
}

/// When the one of the class's running jobs was queued that was queued last; `None`: none runs.
pub async fn newest_running<C: ConnectionTrait>(conn: &C, class: Class) -> Result<Option<Timestamp>, DbErr> {
    let newest: Option<Option<Timestamp>> = Entity::find()
        .select_only()
        .column_as(Column::RunAt.max(), "newest")
        .filter(Column::Class.eq(class))
        .filter(Column::State.eq(State::Running))
        .into_tuple()
        .one(conn)
        .await?;
    Ok(newest.flatten())
}

/// Queues the retries and scheduled jobs whose time has come.
pub async fn promote_due<C: ConnectionTrait>(
    conn: &C,
    now: Timestamp,
    limit: u64,
) -> Result<Vec<Ticket>, DbErr> {
    let waiting = [State::Scheduled, State::Retrying];
    let due: Vec<JobId> = Entity::find()
        .select_only()
        .column(Column::JobId)
        .filter(Column::State.is_in(waiting))
        .filter(Column::RunAt.lte(now))
        .order_by_asc(Column::RunAt)
        .limit(limit)
        .into_tuple()
        .all(conn)
        .await?;
    if due.is_empty() {
        return Ok(Vec::new());
    }
    let rows = Entity::update_many()
        .col_expr(Column::State, Expr::value(State::Queued))
        .col_expr(Column::PublishedAt, Expr::value(Option::<Timestamp>::None))
        .filter(Column::JobId.is_in(due))
        .filter(Column::State.is_in(waiting))
        .exec_with_returning(conn)
        .await?;
    Ok(rows.iter().map(Model::ticket).collect())
}

/// Replays a job that ended as dead or failed: a fresh set of attempts, its history kept. A suspect stays one. `None`: it
/// is in another state.
pub async fn replay<C: ConnectionTrait>(
    conn: &C,
    job: JobId,
    now: Timestamp,
) -> Result<Option<Model>, DbErr> {
    let rows = Entity::update_many()
        .col_expr(Column::State, Expr::value(State::Queued))
        .col_expr(Column::Attempt, Expr::value(0))
        .col_expr(Column::FinishedAt, Expr::value(Option::<Timestamp>::None))
        .col_expr(Column::RunAt, Expr::value(now))
        .col_expr(Column::PublishedAt, Expr::value(Option::<Timestamp>::None))
        .col_expr(Column::CancelRequested, Expr::value(false))
        .filter(Column::JobId.eq(job))
        .filter(Column::State.is_in([State::Dead, State::Failed]))
        .filter(Column::ParentId.is_null())
        .exec_with_returning(conn)
        .await?;
    Ok(rows.into_iter().next())
}

/// Deletes up to `limit` jobs that ended before `before`, with their chunks and failures.
pub async fn sweep<C: ConnectionTrait>(conn: &C, before: Timestamp, limit: u64) -> Result<u64, DbErr> {
    let old: Vec<JobId> = Entity::find()
        .select_only()
        .column(Column::JobId)
        .filter(Column::FinishedAt.lt(before))
        .filter(Column::ParentId.is_null())
        .limit(limit)
        .into_tuple()
        .all(conn)
        .await?;
    let which =
        Condition::all().add(Column::JobId.is_in(old)).add(Expr::col(Column::FinishedAt).is_not_null());
    Ok(Entity::delete_many().filter(which).exec(conn).await?.rows_affected)
}
