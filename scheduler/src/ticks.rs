//! Firing schedules: each tick once, whatever processes believe of each other; of missed ticks the latest once.

use std::collections::{HashMap, HashSet};
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use entities::{Timestamp, fired_schedule};
use runtime::Context;
use sea_orm::DbErr;

use crate::leader::Leadership;
use crate::schedules::{SCHEDULES, Schedule};

const LOOK_EVERY: Duration = Duration::from_secs(1);
/// A run that has not ended after this long was cut off with its process; the next tick may run.
const LONGEST_RUN: Duration = Duration::from_secs(10 * 60);

pub(crate) fn start(context: &Context, leadership: Leadership) {
    let ticker = Arc::new(Ticker::new(context.clone(), leadership.holder.clone(), SCHEDULES));
    let shutdown = context.shutdown.clone();
    context.shutdown.tracker().spawn(async move {
        let mut tick = tokio::time::interval(LOOK_EVERY);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = tick.tick() => {}
                () = shutdown.soft().cancelled() => return,
            }
            if leadership.leads() {
                ticker.look().await;
            }
        }
    });
}

struct Ticker {
    context: Context,
    holder: String,
    schedules: Vec<(&'static Schedule, cron::Schedule)>,
    /// Where a schedule that never fired begins: ticks before this process started are not made up for.
    started: Timestamp,
    running: Mutex<HashSet<&'static str>>,
    last: Mutex<HashMap<&'static str, Timestamp>>,
}

impl Ticker {
    fn new(context: Context, holder: String, table: &'static [Schedule]) -> Self {
        let schedules = table
            .iter()
            .filter_map(|schedule| match cron::Schedule::from_str(schedule.cron) {
                Ok(cron) => Some((schedule, cron)),
                Err(error) => {
                    tracing::error!(schedule = schedule.name, %error, "a schedule cannot be read: a bug");
                    None
                }
            })
            .collect();
        let started = context.clock.now();
        Self { context, holder, schedules, started, running: Mutex::default(), last: Mutex::default() }
    }

    /// Fires what is due and returns without waiting for it to end.
    async fn look(self: &Arc<Self>) {
        for (schedule, cron) in &self.schedules {
            match self.claim_due(schedule, cron).await {
                Ok(Some(tick)) => {
                    let running = Running::enter(self, schedule.name);
                    let (ticker, schedule) = (Arc::clone(self), *schedule);
                    self.context.shutdown.tracker().spawn(async move {
                        ticker.run(schedule, tick).await;
                        drop(running);
                    });
                }
                Ok(None) => {}
                Err(error) => tracing::warn!(schedule = schedule.name, %error, "cannot look at a schedule"),
            }
        }
    }

    async fn claim_due(
        &self,
        schedule: &'static Schedule,
        cron: &cron::Schedule,
    ) -> Result<Option<Timestamp>, DbErr> {
        let now = self.context.clock.now();
        let Some(tick) = latest_tick(cron, now) else { return Ok(None) };
        let known = lock(&self.last).get(schedule.name).copied();
        if known.is_some_and(|known| tick <= known) || lock(&self.running).contains(schedule.name) {
            return Ok(None);
        }
        let last = fired_schedule::last(self.context.database.read(), schedule.name).await?;
        let fired_up_to = last.as_ref().map_or(self.started, |last| last.tick);
        if tick <= fired_up_to {
            lock(&self.last).insert(schedule.name, fired_up_to);
            return Ok(None);
        }
        if last.is_some_and(|last| last.finished_at.is_none() && now - last.fired_at < to_delta(LONGEST_RUN))
        {
            return Ok(None);
        }
        let conn = self.context.database.write();
        let fired = fired_schedule::fire(conn, (schedule.name, tick), &self.holder, now).await?;
        lock(&self.last).insert(schedule.name, tick);
        Ok(fired.then_some(tick))
    }

    async fn run(&self, schedule: &'static Schedule, tick: Timestamp) {
        let outcome = match (schedule.run)(&self.context).await {
            Ok(rows) => {
                if rows > 0 {
                    tracing::info!(schedule = schedule.name, rows, "sweep ended");
                }
                format!("{rows} rows")
            }
            Err(error) => {
                tracing::warn!(schedule = schedule.name, %error, "sweep failed, the next tick tries again");
                "failed".to_owned()
            }
        };
        let conn = self.context.database.write();
        let now = self.context.clock.now();
        if let Err(error) = fired_schedule::finish(conn, (schedule.name, tick), &outcome, now).await {
            tracing::warn!(schedule = schedule.name, %error, "cannot note the end of a sweep");
        }
    }
}

/// While it lives, its schedule is not started again by this process; a run that panics lets go of it too.
struct Running {
    ticker: Arc<Ticker>,
    name: &'static str,
}

impl Running {
    fn enter(ticker: &Arc<Ticker>, name: &'static str) -> Self {
        lock(&ticker.running).insert(name);
        Self { ticker: Arc::clone(ticker), name }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        lock(&self.ticker.running).remove(self.name);
    }
}

/// The latest tick that is not after `now`.
fn latest_tick(cron: &cron::Schedule, now: Timestamp) -> Option<Timestamp> {
    let next_second =
        now + Duration::from_secs(1) - to_delta(Duration::from_nanos(now.timestamp_subsec_nanos().into()));
    cron.after(&next_second).next_back()
}

fn to_delta(duration: Duration) -> chrono::TimeDelta {
    chrono::TimeDelta::from_std(duration).unwrap_or(chrono::TimeDelta::MAX)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
