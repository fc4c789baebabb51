//! The scheduler: of any number of processes one leads, and cares for the queue and the schedules.
//!
//! The leader's lease keeps others from doing the same work beside it; that nothing is done twice rests on guarded
//! updates and on the primary key of fired ticks, not on the lease.

mod care;
mod lapsed;
mod leader;
#[cfg(test)]
mod place;
mod schedules;
mod silent;
#[cfg(test)]
mod simulation;
mod ticks;

use queue::Queue;
use runtime::Context;

pub use leader::LEASE;

/// How this process schedules.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// The one process of an installation: it leads at once, and whatever is said to run is not running.
    pub alone: bool,
}

/// Starts the loops; they end with the context's shutdown.
pub fn start(context: &Context, queue: &Queue, options: Options) {
    let leadership = leader::start(context, options.alone);
    let (context, queue) = (context.clone(), queue.clone());
    let tracker = context.shutdown.tracker().clone();
    tracker.spawn(async move {
        if options.alone {
            care::take_over(&queue).await;
        }
        care::start(&context, &queue, &leadership);
        ticks::start(&context, leadership);
    });
}
