//! What this product runs on the queue: the kinds of job with their arguments, what enqueues them, their quotas,
//! the schedules, and what operators change. The code that runs a kind is in `worker`.
//!
//! API, console, scheduler and command line enqueue jobs without a dependency on the worker: they meet here.

pub mod bot_export;
pub mod bulk_sync;
mod cancel;
pub mod direct_message;
pub mod erasure;
pub mod follow;
pub mod kinds;
pub mod link_import;
pub mod linking;
pub mod log_channels;
pub mod member_events;
pub mod mirror;
pub mod moderation;
pub mod one_waiting;
mod operator;
mod retry;
mod schedule_lag;
pub mod schedules;
pub mod server_commands;
pub mod staff_by_role;
pub mod sync_rules;
pub mod undo;
pub mod webhooks;

pub use cancel::cancel;
pub use operator::{Operator, RetriedAll};
pub use retry::{Retry, retry};
pub use schedule_lag::gauges as schedule_gauges;
