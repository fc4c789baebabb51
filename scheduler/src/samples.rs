//! Samples of the backlog, for the charts of operators.

use entities::Timestamp;
use entities::job::{Class, listing, time};
use entities::queue_sample::{self, Sample};
use runtime::Context;
use sea_orm::DbErr;

use crate::batch::ROWS_PER_BATCH;

/// Writes the samples of this minute, on the database's clock; 0: they are written.
pub(crate) async fn write(context: &Context) -> Result<u64, DbErr> {
    let transaction = context.database.begin().await?;
    let now = time::read(&transaction, context.clock.now()).await?;
    let mut samples = Vec::new();
    for &class in Class::ALL {
        let backlog = listing::backlog(&transaction, class, context.clock.now()).await?;
        let oldest_seconds = age(backlog.oldest, now);
        samples.push(Sample { class, waiting: backlog.available + backlog.held, oldest_seconds });
    }
    let written = queue_sample::write(&transaction, &samples, now).await?;
    transaction.commit().await?;
    Ok(if written { samples.len() as u64 } else { 0 })
}

fn age(since: Option<Timestamp>, now: Timestamp) -> i64 {
    since.map_or(0, |since| (now - since).num_seconds().max(0))
}

pub(crate) async fn prune(context: &Context) -> Result<u64, DbErr> {
    queue_sample::prune(context.database.write(), context.clock.now(), ROWS_PER_BATCH).await
}
