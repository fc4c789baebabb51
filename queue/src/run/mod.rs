//! The worker's side: handlers, the registry of them, and the loops that fetch, run and complete.

mod batch;
mod children;
mod complete;
mod context;
mod fetch;
mod handler;
mod heartbeat;
mod identity;
mod pool;
#[cfg(test)]
mod simulation;
mod single;
mod watchdog;

use std::time::Duration;

pub(crate) use children::finish_parent_if_last;
pub(crate) use complete::Complete;
pub use context::JobContext;
pub use handler::{Handler, JobError, Outcome, Registry, failure};
pub use pool::{Slots, run};

/// After this long a run that can should keep a checkpoint and queue up again.
const SLICE: Duration = Duration::from_secs(30);
