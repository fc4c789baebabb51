//! The one table of schedules. Times are UTC; the fields are second, minute, hour, day of month, month, day of week.

use std::time::Duration;

use entities::audit_entry::Actor;
use entities::{fired_schedule, idempotency, job, loa, strike};
use futures_util::future::BoxFuture;
use runtime::Context;
use sea_orm::DbErr;

use crate::lapsed;
use crate::silent;

/// Something done at set times. `run` works in batches and returns how many rows it moved.
pub(crate) struct Schedule {
    pub(crate) name: &'static str,
    pub(crate) cron: &'static str,
    pub(crate) run: fn(&Context) -> BoxFuture<'_, Result<u64, DbErr>>,
}

pub(crate) const SCHEDULES: &[Schedule] = &[
    Schedule { name: "bans", cron: "5 * * * * *", run: |context| Box::pin(lapsed::bans(context)) },
    Schedule { name: "mutes", cron: "15 * * * * *", run: |context| Box::pin(lapsed::mutes(context)) },
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
    Schedule { name: "fired_ticks", cron: "0 43 3 * * *", run: |context| Box::pin(fired_ticks(context)) },
];

/// Finished jobs are kept this long.
const KEEP_JOBS: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// Fired ticks are kept this long, for whoever asks why a sweep did or did not run.
const KEEP_TICKS: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// Rows in one statement, so that no sweep holds locks for long.
const BATCH: u64 = 500;

/// Leaves of absence that are over.
async fn loa(context: &Context) -> Result<u64, DbErr> {
    let mut total = 0;
    loop {
        let transaction = context.database.begin().await?;
        let now = context.clock.now();
        let closed = loa::sweep(&transaction, &Actor::service(), None, now, BATCH).await?.len() as u64;
        transaction.commit().await?;
        total += closed;
        if closed < BATCH || context.shutdown.soft().is_cancelled() {
            return Ok(total);
        }
    }
}

/// Strikes that have expired.
async fn strikes(context: &Context) -> Result<u64, DbErr> {
    let mut total = 0;
    loop {
        let transaction = context.database.begin().await?;
        let now = context.clock.now();
        let closed = strike::sweep(&transaction, &Actor::service(), None, now, BATCH).await?.len() as u64;
        transaction.commit().await?;
        total += closed;
        if closed < BATCH || context.shutdown.soft().is_cancelled() {
            return Ok(total);
        }
    }
}

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
