//! Deletes jobs some time after their end.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::Expr;
use sea_orm::{Condition, Order};

use super::model::{Column, Entity};
use crate::{Conn, JobId, Result, Timestamp, job_failure, sweep};

/// Deletes up to `limit` jobs that ended before `before`, the oldest first, and as many of their chunks and
/// failures: a job is deleted once it has none. Needs a transaction.
pub async fn prune(conn: &impl Conn, before: Timestamp, limit: u64) -> Result<u64> {
    let over = Condition::all().add(Column::FinishedAt.lt(before)).add(Column::ParentId.is_null());
    let first = || sweep::keys::<Entity>(&over, limit).order_by(Column::FinishedAt, Order::Asc).take();
    let failures = Condition::all().add(job_failure::Column::JobId.in_subquery(first()));
    let failures = delete_some::<job_failure::Entity>(conn, &failures, limit).await?;
    let chunks = Condition::all().add(Column::ParentId.in_subquery(first()));
    let chunks = delete_some::<Entity>(conn, &chunks, limit).await?;
    if failures == limit || chunks == limit {
        return Ok(failures + chunks);
    }
    Ok(failures + chunks + sweep::delete::<Entity>(conn, over, Column::FinishedAt, limit).await?)
}

/// The same, for succeeded jobs of periodic tasks.
pub async fn prune_maintenance(conn: &impl Conn, before: Timestamp, limit: u64) -> Result<u64> {
    // Literals, so that the partial index is used.
    let which = Expr::cust("class = 'maintenance' AND state = 'succeeded'");
    let over = Condition::all().add(Column::FinishedAt.lt(before)).add(which);
    sweep::delete::<Entity>(conn, over, Column::FinishedAt, limit).await
}

/// Deletes one that has ended, with its failures.
pub async fn delete(conn: &impl Conn, job: JobId) -> Result<()> {
    let ended = Entity::delete_many().filter(Column::JobId.eq(job)).filter(Column::FinishedAt.is_not_null());
    ended.exec(conn).await.map(drop)
}

async fn delete_some<E: EntityTrait>(conn: &impl Conn, rows: &Condition, limit: u64) -> Result<u64> {
    let some = sweep::key_in::<E>(sweep::keys::<E>(rows, limit));
    Ok(E::delete_many().filter(some).exec(conn).await?.rows_affected)
}
