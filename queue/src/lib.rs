//! Jobs: enqueued in a transaction, published through a broker, claimed with a fencing token, run, retried,
//! cancelled, answered.
//!
//! The row in the database is authoritative. A message in the broker only names a row, so a lost message costs two
//! seconds and a duplicate costs nothing. The in-process channels of the embedded mode behave like the broker:
//! everything below holds for both.
//!
//! States, guarantees, failures and their remedies: `docs/operations.md`.

mod backoff;
mod broker;
mod bulk_sync;
mod cancel;
mod enqueue;
mod eta;
pub mod kinds;
mod message;
mod mirror;
mod operator;
mod payload;
mod queue;
mod reply;
mod rescue;
mod retry;
pub mod run;

pub use broker::{Broker, PublishError};
pub use bulk_sync::{BulkSync, enqueue_bulk_sync};
pub use enqueue::{Draft, Enqueued, enqueue_many};
pub use eta::{begun, eta, pace};
pub use mirror::enqueue_mirror;
pub use operator::{Operator, RetriedAll};
pub use payload::Payload;
pub use queue::{Queue, QueueError};
pub use reply::Answer;
pub use rescue::DEAD_AFTER;
pub use retry::{Retry, retry};
