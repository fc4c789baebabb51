//! The scheduler: of any number of processes one leads, rescues the jobs of dead workers and fires the schedules; all of
//! them run the periodic tasks, which are jobs like any other.
//!
//! The leader's lease keeps others from doing the same work beside it; that nothing is done twice rests on guarded
//! updates, not on the lease.

mod expiry;
mod gauges;
mod leader;
mod periodic;
#[cfg(test)]
mod place;
mod rescue;
mod schedules;
mod silent;
mod ticks;

use std::time::Duration;

use queue::Queue;
use queue::run::{Registry, Slots};
use runtime::{Context, Shutdown};

pub use leader::LEASE;
use leader::Leadership;
pub use schedules::{SCHEDULES, Schedule};

/// How this process schedules.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// The one process of an installation: it leads at once.
    pub alone: bool,
}

/// Starts the loops; they end with the context's shutdown.
pub fn start(context: &Context, queue: &Queue, options: Options) {
    let leadership = leader::start(context, options.alone);
    let (context, queue) = (context.clone(), queue.clone());
    let tracker = context.shutdown.tracker().clone();
    tracker.spawn(rescue::keep(queue.clone(), leadership.clone(), context.shutdown.clone()));
    tracker.spawn(ticks::keep(context.clone(), queue.clone(), leadership.clone()));
    tracker.spawn(gauges::keep(context.clone(), leadership));
    queue::run::run(&queue, Registry::default().with(periodic::Job(context)), Slots::SCHEDULER);
}

/// Waits until the leader is to look again; false when no new work is wanted.
async fn due(tick: &mut tokio::time::Interval, leadership: &Leadership, shutdown: &Shutdown) -> bool {
    loop {
        tokio::select! {
            _ = tick.tick() => if leadership.leads() { return true },
            () = shutdown.soft().cancelled() => return false,
        }
    }
}

fn every(period: Duration) -> tokio::time::Interval {
    let mut tick = tokio::time::interval(period);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    tick
}
