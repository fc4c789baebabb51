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
    /// Its description for operators.
    pub about: &'static str,
    pub(crate) run: fn(&Context) -> BoxFuture<'_, Result<u64, DbErr>>,
}

/// A row of the table.
macro_rules! schedule {
    ($name:literal, $cron:literal, $run:path, $about:literal) => {
        Schedule { name: $name, cron: $cron, about: $about, run: |context| Box::pin($run(context)) }
    };
}

pub const SCHEDULES: &[Schedule] = &[
    schedule!("sanctions", "5 * * * * *", expiry::sanctions, "ends expired bans and mutes"),
    schedule!("loa", "25 * * * * *", expiry::loa, "ends leave after its last day"),
    schedule!("strikes", "35 * * * * *", expiry::strikes, "ends expired strikes"),
    schedule!(
        "commands",
        "45 * * * * *",
        expiry::commands,
        "ends commands that no game server acknowledged within ten minutes"
    ),
    schedule!(
        "stale_sessions",
        "20,50 * * * * *",
        stale::sessions,
        "ends staff sessions without a heartbeat for two minutes"
    ),
    schedule!(
        "offline_servers",
        "10,40 * * * * *",
        stale::servers,
        "marks game servers without a heartbeat for 90 seconds as offline"
    ),
    schedule!("old_commands", "55 */5 * * * *", prune::commands, "deletes commands an hour after their end"),
    schedule!(
        "old_servers",
        "0 53 * * * *",
        prune::servers,
        "deletes game servers a week after their last heartbeat"
    ),
    schedule!(
        "change_log",
        "0 */5 * * * *",
        prune::change_log,
        "deletes events of the change log after half an hour"
    ),
    schedule!(
        "idempotency_keys",
        "0 */10 * * * *",
        prune::idempotency_keys,
        "deletes expired idempotency keys with their answers"
    ),
    schedule!(
        "finished_jobs",
        "0 17 * * * *",
        prune::ticks,
        "deletes succeeded jobs of schedules after a day"
    ),
    schedule!(
        "retention",
        "0 37 * * * *",
        prune::retention,
        "deletes jobs, audit entries and other records after their time (GUILDHALL_RETENTION_...)"
    ),
    schedule!(
        "queue_samples",
        "15 * * * * *",
        samples::write,
        "measures how many jobs wait, and for how long, for the charts"
    ),
    schedule!(
        "old_queue_samples",
        "0 */30 * * * *",
        samples::prune,
        "deletes old measurements of the queues"
    ),
    schedule!(
        "console",
        "30 */10 * * * *",
        prune::console,
        "deletes ended sessions and unused links of the console"
    ),
];
