//! Starts the loops of a worker process: one for each class, with its own slots, so interactive jobs never wait for
//! bulk jobs.

use std::sync::Arc;

use entities::job::Class;
use entities::{Timestamp, worker};
use runtime::{Event, ProcessName};
use tokio::sync::watch;

use super::batch::Finisher;
use super::handler::Registry;
use super::pool::Pool;
use super::running::Running;
use super::slots::Slots;
use super::watchdog::Watchdog;
use super::{fetch, heartbeat};
use crate::Queue;

/// Claims jobs of all classes until shutdown; runs in flight end on the shutdown's tracker.
pub fn run(queue: &Queue, registry: Registry, slots: Slots) {
    let identity = described(slots, queue.clock.now());
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

/// The row of this process.
pub(super) fn described(slots: Slots, now: Timestamp) -> worker::Model {
    let ProcessName { name, host, version } = ProcessName::new();
    worker::Model { name, host, version, slots: slots.to_json(), started_at: now, heartbeat_at: now }
}

/// Cancels this process's runs when any process cancels their jobs.
async fn listen_for_cancels(queue: Queue, running: Running) {
    let mut events = queue.events.subscribe();
    let hard = queue.shutdown.hard().clone();
    loop {
        let event = tokio::select! {
            event = events.recv() => event,
            () = hard.cancelled() => return,
        };
        match event {
            Ok(Event::JobsCancelled { jobs }) => jobs.into_iter().for_each(|job| running.cancel(job)),
            Ok(_) | Err(tokio::sync::broadcast::error::RecvError::Lagged(_)) => {}
            Err(tokio::sync::broadcast::error::RecvError::Closed) => return,
        }
    }
}
