//! Fires schedules: each tick fires at most once across all processes; of missed ticks only the latest fires. The
//! database's clock decides what is due.
//!
//! A firing tick enqueues a job in one transaction. While a schedule has an open job, its later ticks enqueue
//! nothing; a job that waits for its next attempt is due at once then, so that a schedule is never off for longer than
//! until its next tick.

use std::str::FromStr;
use std::time::Duration;

use entities::job::{retry, time};
use entities::{Timestamp, schedule};
use jobs::kinds::PeriodicTask;
use jobs::schedules::{SCHEDULES, Schedule};
use queue::{Draft, Queue, QueueError};
use runtime::{Context, UnitOfWork};
use sea_orm::DbErr;

use crate::interval::LeaderInterval;
use runtime::leader::Leadership;

const CHECK_INTERVAL: Duration = Duration::from_secs(1);

pub(crate) async fn keep(context: Context, queue: Queue, leadership: Leadership) {
    let mut interval = LeaderInterval::new(CHECK_INTERVAL, leadership, context.shutdown.clone());
    let mut ticker = Ticker::new(context.clone(), queue, SCHEDULES);
    while interval.next().await {
        if let Err(error) = ticker.look().await {
            runtime::warn_throttled!(%error, "cannot look at the schedules, trying again");
        }
    }
}

/// Fires the schedules in the leading process, which calls [`look`](Self::look) periodically.
pub(crate) struct Ticker {
    context: Context,
    queue: Queue,
    schedules: Vec<(&'static Schedule, cron::Schedule)>,
    /// The schedules' history rows exist.
    begun: bool,
}

impl Ticker {
    pub(crate) fn new(context: Context, queue: Queue, table: &'static [Schedule]) -> Self {
        let readable = |schedule: &'static Schedule| match cron::Schedule::from_str(schedule.cron) {
            Ok(cron) => Some((schedule, cron)),
            Err(error) => {
                tracing::error!(schedule = schedule.name, %error, "a schedule cannot be read: a bug");
                None
            }
        };
        Self { context, queue, schedules: table.iter().filter_map(readable).collect(), begun: false }
    }

    /// Fires the due ticks.
    pub(crate) async fn look(&mut self) -> Result<(), QueueError> {
        let database = &self.context.database;
        let now = time::read(database.read(), self.context.clock.now()).await?;
        if !self.begun {
            let ticks = self.schedules.iter();
            let ticks: Vec<_> =
                ticks.filter_map(|(schedule, cron)| Some((schedule.name, latest_tick(cron, now)?))).collect();
            schedule::begin(database.write(), &ticks).await?;
            self.begun = true;
        }
        let rows = schedule::list(database.read()).await?;
        for (schedule, cron) in &self.schedules {
            let row = rows.iter().find(|row| row.name == schedule.name);
            if let (Some(row), Some(tick)) = (row, latest_tick(cron, now))
                && row.may_fire(tick)
            {
                fire(&self.context, &self.queue, schedule.name, tick).await?;
            }
        }
        Ok(())
    }
}

async fn fire(context: &Context, queue: &Queue, name: &str, tick: Timestamp) -> Result<(), QueueError> {
    let mut work = UnitOfWork::begin(context).await?;
    if !schedule::fire(work.tx(), name, tick, work.now()).await? {
        return Ok(());
    }
    let task = PeriodicTask { schedule: name.to_owned(), tick };
    let draft = Draft::without_guild(&task)?.once(name);
    let enqueued = match draft.enqueue(&mut work).await {
        // The job of the last tick ended at this moment: the next pass fires this tick.
        Err(DbErr::RecordNotInserted) => return Ok(()),
        enqueued => enqueued?,
    };
    schedule::set_job(work.tx(), name, enqueued.job).await?;
    let due =
        if enqueued.joined { retry::make_due(work.tx(), enqueued.job, work.now()).await? } else { None };
    work.publish(due.map(|job| job.message()));
    queue.publish(work.commit().await?);
    Ok(())
}

/// The latest tick that is not after `now`.
pub(crate) fn latest_tick(cron: &cron::Schedule, now: Timestamp) -> Option<Timestamp> {
    let past_the_second = Duration::from_nanos(now.timestamp_subsec_nanos().into());
    let next_second = now + Duration::from_secs(1) - past_the_second;
    cron.after(&next_second).next_back()
}

#[cfg(test)]
mod tests;
