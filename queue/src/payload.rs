//! The trait of all kinds of job: a name, a class, a number of attempts, and arguments that fit a row.

use std::time::Duration;

use entities::job::Class;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The arguments of one kind of job. New fields need a default; a changed meaning needs a new kind.
pub trait Payload: Serialize + DeserializeOwned + Send + Sync + 'static {
    const KIND: &'static str;
    const CLASS: Class;
    /// Attempts until the job is dead. A yield, a snooze and a crash outside of quarantine cost none.
    const MAX_ATTEMPTS: i32 = 8;
    /// Time limit of one run, after which it is cut and retried. A run checks [`crate::run::JobContext::should_yield`]
    /// and yields well before.
    const TIME_LIMIT: Duration = Duration::from_secs(60);

    /// The class of this job, where the arguments decide.
    fn class(&self) -> Class {
        Self::CLASS
    }
}
