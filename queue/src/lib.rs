//! Jobs: enqueued in a transaction, published through a broker, claimed with a fencing token, run, retried,
//! cancelled, answered.
//!
//! The row in the database is authoritative. A message in the broker only names a row, so a lost message costs two
//! seconds and a duplicate costs nothing. The in-process channels of the embedded mode behave like the broker:
//! everything below holds for both.
//!
//! The engine knows no kind of job and no product: kinds are [`Payload`]s with a [`run::Handler`]. Tenants share it by
//! turns: tenant = guild, as the tables name it.
//!
//! States, guarantees, failures and their remedies: `docs/operations.md`.

mod backoff;
mod broker;
mod cancel;
mod enqueue;
mod eta;
mod gauges;
mod message;
mod payload;
mod queue;
mod reply;
mod rescue;
mod retry;
pub mod run;

pub use broker::{Broker, PublishError};
pub use enqueue::{Draft, Enqueued, enqueue_many};
pub use eta::{begun, eta, pace};
pub use gauges::gauges;
pub use payload::Payload;
pub use queue::{Queue, QueueError};
pub use reply::Answer;
pub use retry::{Quota, Retry, Unlimited, retry};
