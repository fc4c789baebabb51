//! The worker's side: handlers, the registry of them, and the loops that claim, run and settle.

mod batch;
mod context;
mod handler;
mod lease;
mod one;
mod pool;
mod watchdog;

use std::time::Duration;

pub(crate) use batch::Finisher;
pub use context::JobContext;
pub use handler::{Handler, JobError, Outcome, Registry, failure};
pub use pool::{Slots, run};

/// How long a claim holds without a heartbeat (issue: jobs of a killed worker run elsewhere within 75 s).
pub const LEASE: Duration = Duration::from_secs(60);
/// Time between two heartbeats of a run: five may be lost before the lease ends.
const HEARTBEAT: Duration = Duration::from_secs(10);
/// After this long a run that can should keep a checkpoint and queue up again.
const SLICE: Duration = Duration::from_secs(30);
