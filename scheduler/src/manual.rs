//! Actions of operators on schedules, by a command or in the console.

use std::str::FromStr;

use entities::{Timestamp, schedule};
use jobs::kinds::PeriodicTask;
use queue::{Draft, Enqueued, QueueError};
use runtime::Transaction;

use crate::schedules::{SCHEDULES, Schedule};

/// The result of [`run_now`].
#[derive(Debug)]
pub enum RunNow {
    /// After the commit, publish the job's message; else the safety net finds it. A job that `joined` was there before.
    Enqueued(Enqueued),
    /// No scheduler process has run on this database yet.
    NotBegun,
}

/// Enqueues the task of a schedule, even while it is paused.
pub async fn run_now(
    transaction: &Transaction,
    schedule: &'static Schedule,
    now: Timestamp,
) -> Result<RunNow, QueueError> {
    let name = schedule.name;
    if schedule::find(transaction, name).await?.is_none() {
        return Ok(RunNow::NotBegun);
    }
    let task = PeriodicTask { schedule: name.to_owned(), tick: now };
    let enqueued = Draft::without_guild(&task)?.once(name).enqueue(transaction, now).await?;
    if !enqueued.joined {
        schedule::set_job(transaction, name, enqueued.job).await?;
    }
    Ok(RunNow::Enqueued(enqueued))
}

impl Schedule {
    pub fn find(name: &str) -> Option<&'static Self> {
        SCHEDULES.iter().find(|schedule| schedule.name == name)
    }

    /// The first tick after a time.
    pub fn next_tick(&self, after: Timestamp) -> Option<Timestamp> {
        cron::Schedule::from_str(self.cron).ok()?.after(&after).next()
    }
}
