//! The loops of a worker process: one for each class, with slots of its own, so interactive never waits for bulk.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use entities::JobId;
use entities::job::Class;
use runtime::Event;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::batch::{Claimer, Finisher};
use super::handler::Registry;
use super::one::Run;
use crate::Queue;
use crate::broker::Delivery;

/// How many jobs of each class run at a time in this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slots {
    pub interactive: u16,
    pub default: u16,
    pub bulk: u16,
}

impl Default for Slots {
    fn default() -> Self {
        Self { interactive: 16, default: 8, bulk: 4 }
    }
}

impl Slots {
    fn of(self, class: Class) -> u16 {
        match class {
            Class::Interactive => self.interactive,
            Class::Default => self.default,
            Class::Bulk => self.bulk,
        }
    }
}

/// What the loops of one process share.
pub(super) struct Pool {
    pub(super) queue: Queue,
    pub(super) registry: Registry,
    pub(super) claimer: Claimer,
    pub(super) finisher: Finisher,
    /// This process, in the rows it holds.
    pub(super) name: String,
    running: Mutex<HashSet<JobId>>,
    /// A run that was asked to stop by an event, without waiting for its heartbeat.
    cancels: Mutex<Vec<(JobId, CancellationToken)>>,
}

impl Pool {
    /// Notes that this process runs the job; false when it does already.
    fn enter(&self, job: JobId) -> bool {
        self.running.lock().unwrap_or_else(PoisonError::into_inner).insert(job)
    }

    fn leave(&self, job: JobId) {
        self.running.lock().unwrap_or_else(PoisonError::into_inner).remove(&job);
        self.cancels.lock().unwrap_or_else(PoisonError::into_inner).retain(|(held, _)| *held != job);
    }

    pub(super) fn on_cancel(&self, job: JobId, token: CancellationToken) {
        self.cancels.lock().unwrap_or_else(PoisonError::into_inner).push((job, token));
    }

    fn cancel(&self, job: JobId) {
        let cancels = self.cancels.lock().unwrap_or_else(PoisonError::into_inner);
        cancels.iter().filter(|(held, _)| *held == job).for_each(|(_, token)| token.cancel());
    }
}

/// Takes jobs of all classes until shutdown is asked for; runs in flight end on the shutdown's tracker.
pub fn run(queue: &Queue, registry: Registry, slots: Slots, name: &str) {
    let pool = Arc::new(Pool {
        queue: queue.clone(),
        registry,
        claimer: Claimer::start(queue, name),
        finisher: Finisher::start(queue),
        name: name.to_owned(),
        running: Mutex::default(),
        cancels: Mutex::default(),
    });
    for class in Class::ALL {
        queue.shutdown.tracker().spawn(take(Arc::clone(&pool), class, slots.of(class)));
    }
    queue.shutdown.services().spawn(listen_for_cancels(pool));
}

async fn take(pool: Arc<Pool>, class: Class, slots: u16) {
    let free = Arc::new(Semaphore::new(usize::from(slots)));
    let mut deliveries = pool.queue.broker.consume(class, slots);
    let soft = pool.queue.shutdown.soft().clone();
    loop {
        let Ok(slot) = Arc::clone(&free).acquire_owned().await else { return };
        let delivery = tokio::select! {
            delivery = deliveries.next() => delivery,
            () = soft.cancelled() => return,
        };
        let Some(delivery) = delivery else { return };
        if soft.is_cancelled() {
            delivery.put_back().await;
            return;
        }
        let pool = Arc::clone(&pool);
        let tracker = pool.queue.shutdown.tracker().clone();
        tracker.spawn(async move {
            handle(&pool, delivery).await;
            drop(slot);
        });
    }
}

async fn handle(pool: &Arc<Pool>, delivery: Delivery) {
    let job = delivery.ticket.job;
    if !pool.enter(job) {
        // A second ring for what runs right here: the run itself will say how it ended.
        delivery.done().await;
        return;
    }
    Run::new(pool).settle(delivery).await;
    pool.leave(job);
}

/// Cancelling reaches a run in whichever process it is.
async fn listen_for_cancels(pool: Arc<Pool>) {
    let mut events = pool.queue.events.subscribe();
    let hard = pool.queue.shutdown.hard().clone();
    loop {
        let event = tokio::select! {
            event = events.recv() => event,
            () = hard.cancelled() => return,
        };
        match event {
            Ok(Event::JobCancelled { job }) => pool.cancel(job),
            Ok(_) | Err(tokio::sync::broadcast::error::RecvError::Lagged(_)) => {}
            Err(tokio::sync::broadcast::error::RecvError::Closed) => return,
        }
    }
}
