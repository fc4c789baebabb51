//! The worker side: handlers, their registry, and the loops that fetch, run and complete jobs.

mod batch;
mod children;
mod complete;
mod context;
mod fetch;
mod handler;
mod heartbeat;
mod outcome;
mod pool;
mod process;
mod registration;
mod running;
// Not an integration test: it drives the private parts of a process one call at a time.
#[cfg(test)]
#[path = "../tests/histories/simulation.rs"]
mod simulation;
mod single;
mod slots;
pub(crate) mod span;
mod strays;
mod watchdog;

pub(crate) use children::settle;
pub(crate) use complete::Complete;
pub use context::JobContext;
pub use handler::{Handler, Registry};
pub use outcome::{JobError, Outcome, failure};
pub use process::run;
pub use slots::Slots;
