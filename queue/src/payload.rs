//! What all kinds of job have: a name, a class, a number of attempts, and arguments that fit a row.

use std::time::Duration;

use entities::job::Class;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The arguments of one kind of job. Fields may be added with a default; a changed meaning is a new kind.
pub trait Payload: Serialize + DeserializeOwned + Send + Sync + 'static {
    const KIND: &'static str;
    const CLASS: Class;
    /// Claims until the job is dead.
    const MAX_ATTEMPTS: i32 = 8;
    /// How long one run may last before it is cut and retried. A run asks [`crate::run::JobContext::should_yield`] and
    /// gives back well before.
    const TIME_LIMIT: Duration = Duration::from_secs(60);
}
