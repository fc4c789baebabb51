//! Services for every job, beside its [`queue::run::JobContext`].

use std::time::Duration;

use platforms::Platforms;
use runtime::Events;

/// A request without a response may still be in flight on the platform's side: the next read waits this long.
pub(crate) const SETTLE: Duration = Duration::from_secs(5);

/// Cheap to clone.
#[derive(Clone)]
pub(crate) struct Services {
    pub(crate) platforms: Platforms,
    pub(crate) events: Events,
}
