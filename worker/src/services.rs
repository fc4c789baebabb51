//! Services for every job, beside its [`queue::run::JobContext`].

use platforms::Platforms;
use runtime::Events;

/// Cheap to clone.
#[derive(Clone)]
pub(crate) struct Services {
    pub(crate) platforms: Platforms,
    pub(crate) events: Events,
}
