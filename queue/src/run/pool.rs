//! The loops of a worker process: one for each class, with slots of its own, so interactive never waits for bulk.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use entities::JobId;
use entities::job::{Claim, Class};
use runtime::Event;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::batch::Finisher;
use super::fetch;
use super::handler::Registry;
use super::heartbeat::{self, Registration};
use super::identity::Identity;
use super::watchdog::Watchdog;
use crate::Queue;

/// How many jobs of each class run at a time in this process. Where any do, one quarantined job does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slots {
    pub interactive: u16,
    pub default: u16,
    pub bulk: u16,
    pub maintenance: u16,
}

impl Default for Slots {
    fn default() -> Self {
        // Bulk jobs spend their time waiting for a permit; with few slots the guilds beyond them would not get a turn.
        Self { interactive: 16, default: 8, bulk: 32, maintenance: 0 }
    }
}

impl Slots {
    /// What a scheduler process runs.
    pub const SCHEDULER: Self = Self { interactive: 0, default: 0, bulk: 0, maintenance: 4 };

    fn of(self, class: Class) -> u16 {
        match class {
            Class::Interactive => self.interactive,
            Class::Default => self.default,
            Class::Bulk => self.bulk,
            Class::Maintenance => self.maintenance,
            Class::Quarantine => 1,
        }
    }

    fn to_json(self) -> serde_json::Value {
        let of = |class: Class| (class.name().to_owned(), serde_json::Value::from(self.of(class)));
        Class::ALL.iter().copied().map(of).collect()
    }
}

/// The claims that tasks of this process run, each with what tells its run to stop.
#[derive(Clone, Default)]
pub(super) struct Running(Arc<Mutex<HashMap<Claim, CancellationToken>>>);

impl Running {
    /// The claim is run until the guard is dropped, however the run ends.
    pub(super) fn enter(&self, claim: Claim, cancel: CancellationToken) -> Entered {
        self.lock().insert(claim, cancel);
        Entered { running: self.clone(), claim }
    }

    pub(super) fn has(&self, claim: Claim) -> bool {
        self.lock().contains_key(&claim)
    }

    pub(super) fn cancel(&self, job: JobId) {
        self.lock().iter().filter(|(claim, _)| claim.job == job).for_each(|(_, token)| token.cancel());
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Claim, CancellationToken>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) struct Entered {
    running: Running,
    claim: Claim,
}

impl Drop for Entered {
    fn drop(&mut self) {
        self.running.lock().remove(&self.claim);
    }
}

/// What the loops of one process share.
pub(super) struct Pool {
    pub(super) queue: Queue,
    pub(super) registry: Registry,
    pub(super) finisher: Finisher,
    pub(super) watchdog: Watchdog,
    pub(super) running: Running,
    pub(super) registration: watch::Receiver<Option<Arc<Registration>>>,
}

/// Takes jobs of all classes until shutdown is asked for; runs in flight end on the shutdown's tracker.
pub fn run(queue: &Queue, registry: Registry, slots: Slots) {
    let identity = Identity::of_process(slots.to_json());
    tracing::info!(worker = identity.name, kinds = ?registry.kinds().collect::<Vec<_>>(), "taking jobs");
    let (current, registration) = watch::channel(None);
    let running = Running::default();
    let services = queue.shutdown.services();
    services.spawn(heartbeat::keep(queue.clone(), identity, running.clone(), current));
    let pool = Arc::new(Pool {
        queue: queue.clone(),
        registry,
        finisher: Finisher::start(queue),
        watchdog: Watchdog::start(&queue.shutdown),
        running: running.clone(),
        registration,
    });
    for class in Class::ALL.iter().copied().filter(|class| slots.of(*class) > 0) {
        queue.shutdown.tracker().spawn(fetch::take(Arc::clone(&pool), class, slots.of(class)));
    }
    services.spawn(listen_for_cancels(queue.clone(), running));
}

/// Cancelling reaches a run in whichever process it is.
async fn listen_for_cancels(queue: Queue, running: Running) {
    let mut events = queue.events.subscribe();
    let hard = queue.shutdown.hard().clone();
    loop {
        let event = tokio::select! {
            event = events.recv() => event,
            () = hard.cancelled() => return,
        };
        match event {
            Ok(Event::JobCancelled { job }) => running.cancel(job),
            Ok(_) | Err(tokio::sync::broadcast::error::RecvError::Lagged(_)) => {}
            Err(tokio::sync::broadcast::error::RecvError::Closed) => return,
        }
    }
}
