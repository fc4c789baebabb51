//! What a job is: enqueued in a transaction, rung through a broker, claimed with a lease, retried, cancelled, answered.
//!
//! # States
//! `scheduled → queued → running → succeeded | retrying (→ queued at its time) | failed | dead | cancelled`; a parent
//! with open children is `waiting`. The row in the database is the truth; a message in the broker only says "look at
//! this row", so a lost message costs time and a doubled one nothing.
//!
//! # Guarantees
//! - A job whose transaction committed is run at least once, whatever dies: the relay publishes what was not
//!   confirmed, rings again what a wiped broker lost, and takes back what a dead worker held.
//! - Every claim raises the lease number and every later write names it, so of two runs of one job only the newer
//!   changes its row. External effects must be idempotent: they can happen twice.
//! - A run goes on only while the database confirmed its claim a moment ago. A process that was frozen and wakes up
//!   takes no further step of a job that another has taken over, and one that lost its broker connection asks every
//!   second. What was under way at that moment cannot be called back: that much can happen twice.
//! - All messages are acknowledged after the run's outcome is committed. No run lasts longer than its time slice
//!   (30 s, then it keeps a checkpoint and queues up again), so a worker's death is felt at once by redelivery and
//!   turns are fair. (This is simpler than acknowledging long kinds right after the claim, and takes over faster.)
//!
//! # What an operator sees
//! Broker gone: jobs pile up as `queued` with `guildhall_outbox_age_seconds` rising, and run when it is back. Worker
//! gone: its jobs run elsewhere within two seconds by redelivery, at the latest when the lease ends ([`LEASE`]).
//! Scheduler gone: retries and lost messages wait for the next leader. A kind this build does not know stays queued
//! and is reported in the log of the worker.

mod answer;
mod broker;
mod enqueue;
mod eta;
mod gauges;
pub mod kinds;
mod ladder;
mod loss;
mod message;
mod mirror;
mod payload;
mod queue;
pub mod relay;
mod replay;
pub mod run;
mod settle;
mod waiters;

pub use answer::Answer;
pub use broker::{Broker, PublishError};
pub use enqueue::{Draft, Enqueued, enqueue_many};
pub use eta::{begun, eta};
pub use mirror::enqueue_mirror;
pub use payload::Payload;
pub use queue::{Queue, QueueError};
pub use replay::{Replay, replay};
pub use run::LEASE;
