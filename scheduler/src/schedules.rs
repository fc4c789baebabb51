//! The one table of schedules. Times are UTC; the fields are second, minute, hour, day of month, month, day of week.

use std::time::Duration;

use entities::{fired_schedule, idempotency, job};
use futures_util::future::BoxFuture;
use runtime::Context;
use sea_orm::DbErr;

/// Something done at set times. `run` works in batches and returns how many rows it moved.
pub(crate) struct Schedule {
    pub(crate) name: &'static str,
    pub(crate) cron: &'static str,
    pub(crate) run: fn(&Context) -> BoxFuture<'_, Result<u64, DbErr>>,
}

pub(crate) const SCHEDULES: &[Schedule] = &[
    Schedule {
        name: "idempotency_keys",
        cron: "0 */10 * * * *",
        run: |context| Box::pin(idempotency_keys(context)),
    },
    Schedule { name: "finished_jobs", cron: "0 17 * * * *", run: |context| Box::pin(finished_jobs(context)) },
    Schedule { name: "fired_ticks", cron: "0 43 3 * * *", run: |context| Box::pin(fired_ticks(context)) },
];

/// Finished jobs are kept this long.
const KEEP_JOBS: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// Fired ticks are kept this long, for whoever asks why a sweep did or did not run.
const KEEP_TICKS: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// Rows in one statement, so that no sweep holds locks for long.
const BATCH: u64 = 500;

async fn idempotency_keys(context: &Context) -> Result<u64, DbErr> {
    let mut total = 0;
    loop {
        let deleted = idempotency::sweep(context.database.write(), context.clock.now(), BATCH).await?;
        total += deleted;
        if deleted < BATCH || context.shutdown.soft().is_cancelled() {
            return Ok(total);
        }
    }
}

async fn finished_jobs(context: &Context) -> Result<u64, DbErr> {
    let mut total = 0;
    loop {
        let before = context.clock.now() - KEEP_JOBS;
        let deleted = job::outbox::sweep(context.database.write(), before, BATCH).await?;
        total += deleted;
        if deleted < BATCH || context.shutdown.soft().is_cancelled() {
            return Ok(total);
        }
    }
}

async fn fired_ticks(context: &Context) -> Result<u64, DbErr> {
    let before = context.clock.now() - KEEP_TICKS;
    let mut total = 0;
    for schedule in SCHEDULES {
        total += fired_schedule::forget(context.database.write(), schedule.name, before).await?;
    }
    Ok(total)
}
