//! Firing schedules: each tick at most once, whatever processes believe of each other; of missed ticks the latest.
//!
//! What is due goes by the clock of the leader. A tick that has fired is run until a run ends and is noted: a run
//! whose process died, that failed, or that a shutdown cut short, is run again, by the next leader at once. That process
//! may be frozen rather than dead, and go on later, so all that a schedule does must be safe to do twice and at the
//! same time: guarded updates, one transaction for each batch. Only one of the two runs is noted.

use std::collections::HashMap;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use entities::Timestamp;
use entities::fired_schedule::{self, Claimant, Model as Fired};
use futures_util::future::join_all;
use runtime::Context;
use sea_orm::DbErr;

use crate::leader::Leadership;
use crate::schedules::{SCHEDULES, Schedule};

pub(crate) const LOOK_EVERY: Duration = Duration::from_secs(1);
/// A run of this very process that failed is repeated after this long.
pub(crate) const AGAIN_AFTER: Duration = Duration::from_secs(30);

pub(crate) fn start(context: &Context, leadership: Leadership) {
    let ticker = Arc::new(Ticker::new(context.clone(), leadership, SCHEDULES));
    let shutdown = context.shutdown.clone();
    context.shutdown.tracker().spawn(async move {
        let mut tick = tokio::time::interval(LOOK_EVERY);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = tick.tick() => {}
                () = shutdown.soft().cancelled() => return,
            }
            for run in ticker.look().await {
                shutdown.tracker().spawn(run.perform());
            }
        }
    });
}

/// What a process does to fire: [`look`](Self::look), again and again.
pub(crate) struct Ticker {
    context: Context,
    leadership: Leadership,
    schedules: Vec<Watched>,
}

struct Watched {
    schedule: &'static Schedule,
    cron: cron::Schedule,
    progress: Mutex<Progress>,
}

/// What this process knows of a schedule.
#[derive(Default)]
struct Progress {
    running: bool,
    /// When a run that this process began may be repeated, on the steady clock.
    again_at: Duration,
    /// The tick that was last seen to need nothing more; `None`: the schedule's history may have to begin.
    settled: Option<Timestamp>,
}

impl Ticker {
    pub(crate) fn new(context: Context, leadership: Leadership, table: &'static [Schedule]) -> Self {
        let watched = |schedule: &'static Schedule| match cron::Schedule::from_str(schedule.cron) {
            Ok(cron) => Some(Watched { schedule, cron, progress: Mutex::default() }),
            Err(error) => {
                tracing::error!(schedule = schedule.name, %error, "a schedule cannot be read: a bug");
                None
            }
        };
        Self { context, leadership, schedules: table.iter().filter_map(watched).collect() }
    }

    /// Claims what is due, if this process leads, and hands out the runs.
    pub(crate) async fn look(self: &Arc<Self>) -> Vec<Run> {
        if !self.leadership.leads() {
            return Vec::new();
        }
        let mut open: HashMap<String, Fired> = match fired_schedule::open(self.context.database.read()).await
        {
            Ok(open) => open.into_iter().map(|run| (run.schedule.clone(), run)).collect(),
            Err(error) => {
                tracing::warn!(%error, "cannot look at the schedules");
                return Vec::new();
            }
        };
        let looks = self.schedules.iter().enumerate().map(|(index, watched)| {
            let open = open.remove(watched.schedule.name);
            async move {
                let tick = self.claim(watched, open).await.unwrap_or_else(|error| {
                    tracing::warn!(schedule = watched.schedule.name, %error, "cannot look at a schedule");
                    None
                })?;
                Some(Run::enter(self, index, tick))
            }
        });
        join_all(looks).await.into_iter().flatten().collect()
    }

    async fn claim(&self, watched: &Watched, open: Option<Fired>) -> Result<Option<Timestamp>, DbErr> {
        if lock(&watched.progress).running {
            return Ok(None);
        }
        match open {
            Some(open) => self.claim_open(watched, open).await,
            None => self.claim_due(watched).await,
        }
    }

    /// An open run that this process is not at: of another leader, or failed here.
    async fn claim_open(&self, watched: &Watched, open: Fired) -> Result<Option<Timestamp>, DbErr> {
        let by = self.claimant();
        if open.holder == by.holder && self.context.clock.steady() < lock(&watched.progress).again_at {
            return Ok(None);
        }
        let taken = fired_schedule::take_over(self.context.database.write(), &open, by).await?;
        if taken && open.holder != by.holder {
            tracing::info!(
                schedule = open.schedule,
                before = open.holder,
                "a sweep that did not end is run again"
            );
        }
        Ok(taken.then_some(open.tick))
    }

    async fn claim_due(&self, watched: &Watched) -> Result<Option<Timestamp>, DbErr> {
        let (conn, by) = (self.context.database.write(), self.claimant());
        let Some(tick) = latest_tick(&watched.cron, by.now) else { return Ok(None) };
        let settled = lock(&watched.progress).settled;
        if settled == Some(tick) {
            return Ok(None);
        }
        let due = (watched.schedule.name, tick);
        if settled.is_none() {
            fired_schedule::begin(conn, due, by).await?;
        }
        let fired = fired_schedule::fire(conn, due, by).await?;
        // Refused for another reason, it is tried again.
        if fired || fired_schedule::is_covered(conn, due).await? {
            lock(&watched.progress).settled = Some(tick);
        }
        Ok(fired.then_some(tick))
    }

    fn claimant(&self) -> Claimant<'_> {
        let (holder, lease) = (&*self.leadership.holder, self.leadership.lease());
        Claimant { holder, lease, now: self.context.clock.now() }
    }
}

/// A claimed tick. While it lives its schedule is not started again by this process; a run that panics lets go too.
pub(crate) struct Run {
    ticker: Arc<Ticker>,
    index: usize,
    pub(crate) tick: Timestamp,
}

impl Run {
    fn enter(ticker: &Arc<Ticker>, index: usize, tick: Timestamp) -> Self {
        let run = Self { ticker: Arc::clone(ticker), index, tick };
        let mut progress = lock(&run.watched().progress);
        progress.running = true;
        progress.again_at = ticker.context.clock.steady() + AGAIN_AFTER;
        drop(progress);
        run
    }

    fn watched(&self) -> &Watched {
        &self.ticker.schedules[self.index]
    }

    pub(crate) fn schedule(&self) -> &'static Schedule {
        self.watched().schedule
    }

    /// Runs it to its end and notes that.
    pub(crate) async fn perform(self) {
        let (schedule, context) = (self.schedule().name, &self.ticker.context);
        match (self.schedule().run)(context).await {
            // It stopped after a batch: what is left is for the next leader.
            Ok(_) if context.shutdown.soft().is_cancelled() => {}
            Ok(rows) => {
                if rows > 0 {
                    tracing::info!(schedule, rows, "sweep ended");
                }
                self.note(&format!("{rows} rows")).await;
            }
            Err(error) => tracing::warn!(schedule, %error, "sweep failed, it is tried again in a moment"),
        }
    }

    async fn note(&self, outcome: &str) {
        let (schedule, by) = (self.schedule().name, self.ticker.claimant());
        let conn = self.ticker.context.database.write();
        match fired_schedule::finish(conn, (schedule, self.tick), by.holder, (outcome, by.now)).await {
            Ok(true) => {}
            Ok(false) => tracing::info!(schedule, "another process has run this sweep meanwhile"),
            Err(error) => tracing::warn!(schedule, %error, "cannot note the end of a sweep, it is run again"),
        }
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        lock(&self.watched().progress).running = false;
    }
}

/// The latest tick that is not after `now`.
pub(crate) fn latest_tick(cron: &cron::Schedule, now: Timestamp) -> Option<Timestamp> {
    let past_the_second = Duration::from_nanos(now.timestamp_subsec_nanos().into());
    let next_second = now + Duration::from_secs(1) - past_the_second;
    cron.after(&next_second).next_back()
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
