//! The one table of schedules. Times are UTC; the fields are second, minute, hour, day of month, month, day of week.

use std::time::Duration;

use entities::audit_entry::Actor;
use entities::{idempotency, job, loa, strike};
use futures_util::future::BoxFuture;
use runtime::Context;
use sea_orm::DbErr;

use crate::expiry;
use crate::silent;

/// Something done at set times. `run` does one batch, so that nothing holds locks for long, and returns how many rows it
/// moved; it is called again until it moves none.
pub struct Schedule {
    pub name: &'static str,
    pub cron: &'static str,
    pub(crate) run: fn(&Context) -> BoxFuture<'_, Result<u64, DbErr>>,
}

pub const SCHEDULES: &[Schedule] = &[
    Schedule { name: "sanctions", cron: "5 * * * * *", run: |context| Box::pin(expiry::sanctions(context)) },
    Schedule { name: "loa", cron: "25 * * * * *", run: |context| Box::pin(loa(context)) },
    Schedule { name: "strikes", cron: "35 * * * * *", run: |context| Box::pin(strikes(context)) },
    Schedule {
        name: "silent_sessions",
        cron: "20,50 * * * * *",
        run: |context| Box::pin(silent::sessions(context)),
    },
    Schedule {
        name: "offline_servers",
        cron: "10,40 * * * * *",
        run: |context| Box::pin(silent::servers(context)),
    },
    Schedule {
        name: "unanswered_commands",
        cron: "45 * * * * *",
        run: |context| Box::pin(silent::commands(context)),
    },
    Schedule {
        name: "old_servers",
        cron: "0 53 * * * *",
        run: |context| Box::pin(silent::old_servers(context)),
    },
    Schedule {
        name: "idempotency_keys",
        cron: "0 */10 * * * *",
        run: |context| Box::pin(idempotency_keys(context)),
    },
    Schedule { name: "finished_jobs", cron: "0 17 * * * *", run: |context| Box::pin(finished_jobs(context)) },
];

/// Finished jobs are kept this long.
const KEEP_JOBS: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// Jobs of periodic tasks that ended well are kept this long: they are thousands a day.
const KEEP_PERIODIC: Duration = Duration::from_secs(24 * 60 * 60);
/// Rows in one batch.
pub(crate) const BATCH: u64 = 500;

/// Leaves of absence that are over.
async fn loa(context: &Context) -> Result<u64, DbErr> {
    let transaction = context.database.begin().await?;
    let closed = loa::sweep(&transaction, &Actor::service(), None, context.clock.now(), BATCH).await?;
    transaction.commit().await?;
    Ok(closed.len() as u64)
}

/// Strikes that have expired.
async fn strikes(context: &Context) -> Result<u64, DbErr> {
    let transaction = context.database.begin().await?;
    let closed = strike::sweep(&transaction, &Actor::service(), None, context.clock.now(), BATCH).await?;
    transaction.commit().await?;
    Ok(closed.len() as u64)
}

async fn idempotency_keys(context: &Context) -> Result<u64, DbErr> {
    idempotency::sweep(context.database.write(), context.clock.now(), BATCH).await
}

async fn finished_jobs(context: &Context) -> Result<u64, DbErr> {
    let (conn, now) = (context.database.write(), context.clock.now());
    let deleted = job::listing::prune(conn, now - KEEP_JOBS, BATCH).await?;
    Ok(deleted + job::listing::prune_maintenance(conn, now - KEEP_PERIODIC, BATCH).await?)
}
