//! The table of schedules. Times are UTC; the fields are second, minute, hour, day of month, month, day of week.

use futures_util::future::BoxFuture;
use runtime::Context;
use sea_orm::DbErr;

use crate::{expiry, prune, samples, stale};

/// A task at set times. `run` does one batch and returns the number of rows changed; it is called again until it
/// returns 0.
pub struct Schedule {
    pub name: &'static str,
    pub cron: &'static str,
    pub(crate) run: fn(&Context) -> BoxFuture<'_, Result<u64, DbErr>>,
}

/// A row of the table.
macro_rules! schedule {
    ($name:literal, $cron:literal, $run:path) => {
        Schedule { name: $name, cron: $cron, run: |context| Box::pin($run(context)) }
    };
}

pub const SCHEDULES: &[Schedule] = &[
    schedule!("sanctions", "5 * * * * *", expiry::sanctions),
    schedule!("loa", "25 * * * * *", expiry::loa),
    schedule!("strikes", "35 * * * * *", expiry::strikes),
    schedule!("commands", "45 * * * * *", expiry::commands),
    schedule!("stale_sessions", "20,50 * * * * *", stale::sessions),
    schedule!("offline_servers", "10,40 * * * * *", stale::servers),
    schedule!("old_commands", "55 */5 * * * *", prune::commands),
    schedule!("old_servers", "0 53 * * * *", prune::servers),
    schedule!("change_log", "0 */5 * * * *", prune::change_log),
    schedule!("idempotency_keys", "0 */10 * * * *", prune::idempotency_keys),
    schedule!("finished_jobs", "0 17 * * * *", prune::jobs),
    schedule!("queue_samples", "15 * * * * *", samples::write),
    schedule!("old_queue_samples", "0 */30 * * * *", samples::prune),
    schedule!("console", "30 */10 * * * *", prune::console),
];
