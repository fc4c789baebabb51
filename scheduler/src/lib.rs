//! The scheduler: one of the scheduler processes leads, rescues the jobs of dead workers and fires the schedules; all
//! of them run the periodic tasks, which are jobs like any other.
//!
//! The lease keeps other processes from duplicating the leader's work. Guarded updates, not the lease, guarantee that
//! nothing is done twice.

mod audit_log;
mod batch;
mod expiry;
mod follow;
mod interval;
mod periodic;
mod prune;
mod rescue;
mod samples;
mod stale;
mod tasks;
#[cfg(test)]
mod test_database;
mod ticks;

use entities::leader_lease;
use queue::Queue;
use queue::run::{Registry, Slots};
use runtime::{Context, leader};

/// The scheduling mode of this process.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// The only process of an installation: it leads at once.
    pub alone: bool,
    /// Guilds follow the game platform by passes that start by themselves.
    pub follows: bool,
}

/// Starts the loops; they end with the context's shutdown.
pub fn start(context: &Context, queue: &Queue, options: Options) {
    let told = |leads: bool| {
        metrics::gauge!("guildhall_scheduler_leads").set(f64::from(u8::from(leads)));
    };
    let leadership = leader::start(context, leader_lease::SCHEDULER, options.alone, told);
    let (context, queue) = (context.clone(), queue.clone());
    let tracker = context.shutdown.tracker().clone();
    rescue::begin_at_zero();
    tracker.spawn(rescue::keep(queue.clone(), leadership.clone(), context.shutdown.clone()));
    tracker.spawn(ticks::keep(context.clone(), queue.clone(), leadership.clone()));
    if options.follows {
        tracker.spawn(follow::keep(context.clone(), queue.clone(), leadership.clone()));
    }
    tracker.spawn(audit_log::keep(context.clone(), queue.clone(), leadership));
    queue::run::run(&queue, Registry::default().with(periodic::Job(context)), Slots::SCHEDULER);
}
