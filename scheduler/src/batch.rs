//! One batch of a sweep: a limited number of rows, in one transaction.

use entities::Timestamp;
use runtime::{Context, Transaction};
use sea_orm::DbErr;

/// Rows in one batch, so that no batch holds locks for long.
pub(crate) const BATCH: u64 = 500;

/// Runs a sweep and commits the rows that it closed.
pub(crate) async fn commit<M>(
    context: &Context,
    sweep: impl AsyncFnOnce(&Transaction, Timestamp) -> Result<Vec<M>, DbErr>,
) -> Result<Vec<M>, DbErr> {
    let transaction = context.database.begin().await?;
    let closed = sweep(&transaction, context.clock.now()).await?;
    transaction.commit().await?;
    Ok(closed)
}
