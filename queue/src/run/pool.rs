//! State that the loops of one worker process share.

use std::sync::Arc;

use tokio::sync::watch;

use super::batch::Finisher;
use super::handler::Registry;
use super::registration::Registration;
use super::running::Running;
use super::watchdog::Watchdog;
use crate::Queue;

pub(super) struct Pool {
    pub(super) queue: Queue,
    pub(super) registry: Registry,
    pub(super) finisher: Finisher,
    pub(super) watchdog: Watchdog,
    pub(super) running: Running,
    pub(super) registration: watch::Receiver<Option<Arc<Registration>>>,
}
