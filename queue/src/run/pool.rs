//! The loops of a worker process: one for each class, with slots of its own, so interactive never waits for bulk.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use entities::JobId;
use entities::job::{Class, Ticket};
use futures_util::FutureExt;
use runtime::Event;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::batch::{Claimer, Finisher};
use super::handler::Registry;
use super::one::{Run, Settled};
use super::watchdog::Watchdog;
use crate::Queue;
use crate::broker::Delivery;
use crate::loss::Gate;

/// How many jobs of each class run at a time in this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slots {
    pub interactive: u16,
    pub default: u16,
    pub bulk: u16,
}

impl Default for Slots {
    fn default() -> Self {
        // Bulk jobs spend their time waiting for a permit; with few slots the guilds beyond them would not get a turn.
        Self { interactive: 16, default: 8, bulk: 32 }
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

/// How long a ring waits for the run of an earlier turn to leave, before it is left to another process.
const LEAVING: Duration = Duration::from_secs(5);

/// What the loops of one process share.
pub(super) struct Pool {
    pub(super) queue: Queue,
    pub(super) registry: Registry,
    pub(super) claimer: Claimer,
    pub(super) finisher: Finisher,
    pub(super) gate: Gate,
    pub(super) watchdog: Watchdog,
    /// This process, in the rows it holds.
    pub(super) name: String,
    here: Mutex<HashMap<JobId, Turn>>,
    /// A run that was asked to stop by an event, without waiting for its heartbeat.
    cancels: Mutex<Vec<(JobId, CancellationToken)>>,
}

impl Pool {
    pub(super) fn on_cancel(&self, job: JobId, token: CancellationToken) {
        self.cancels.lock().unwrap_or_else(PoisonError::into_inner).push((job, token));
    }

    fn cancel(&self, job: JobId) {
        let cancels = self.cancels.lock().unwrap_or_else(PoisonError::into_inner);
        cancels.iter().filter(|(held, _)| *held == job).for_each(|(_, token)| token.cancel());
    }
}

/// What a job is in this process for: the turn its ticket stands for. Of one turn there may be many rings, and each run
/// that gives the job back, or loses it, makes the ticket of another turn.
struct Turn {
    lease: i64,
    over: CancellationToken,
}

/// A job is in this process for as long as this lives, however its run ends.
struct Here<'a> {
    pool: &'a Pool,
    job: JobId,
}

impl<'a> Here<'a> {
    /// `Err`: this process has the job, in the turn of this ticket or in an earlier one.
    fn enter(pool: &'a Pool, ticket: &Ticket) -> Result<Self, Known> {
        match pool.here.lock().unwrap_or_else(PoisonError::into_inner).entry(ticket.job) {
            Entry::Vacant(free) => {
                free.insert(Turn { lease: ticket.lease, over: CancellationToken::new() });
                Ok(Self { pool, job: ticket.job })
            }
            Entry::Occupied(turn) if ticket.lease > turn.get().lease => {
                Err(Known::Earlier(turn.get().over.clone()))
            }
            Entry::Occupied(_) => Err(Known::Same),
        }
    }
}

enum Known {
    Same,
    /// Cancelled when that turn is over.
    Earlier(CancellationToken),
}

impl Drop for Here<'_> {
    fn drop(&mut self) {
        let turn = self.pool.here.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.job);
        if let Some(turn) = turn {
            turn.over.cancel();
        }
        let mut cancels = self.pool.cancels.lock().unwrap_or_else(PoisonError::into_inner);
        cancels.retain(|(held, _)| *held != self.job);
    }
}

/// Takes jobs of all classes until shutdown is asked for; runs in flight end on the shutdown's tracker.
pub fn run(queue: &Queue, registry: Registry, slots: Slots, name: &str) {
    let pool = Arc::new(Pool {
        queue: queue.clone(),
        registry,
        claimer: Claimer::start(queue, name),
        finisher: Finisher::start(queue),
        gate: Gate::new(),
        watchdog: Watchdog::start(&queue.shutdown),
        name: name.to_owned(),
        here: Mutex::default(),
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
    let _here = loop {
        match Here::enter(pool, &delivery.ticket) {
            Ok(here) => break here,
            // A second ring for what runs right here: the run itself will say how it ended.
            Err(Known::Same) => return delivery.done().await,
            // Maybe the only ring there is. A run that has given the job back, or lost it, leaves in a moment.
            Err(Known::Earlier(over)) => {
                if tokio::time::timeout(LEAVING, over.cancelled()).await.is_err() {
                    return delivery.put_back().await;
                }
            }
        }
    };
    match AssertUnwindSafe(Run::new(pool).settle(&delivery)).catch_unwind().await {
        Ok(Settled::Done) => delivery.done().await,
        Ok(Settled::NotLookedAt) => delivery.put_back().await,
        Err(_panic) => {
            tracing::error!(job.id = %delivery.ticket.job, "a job could not be settled: a bug; its lease will end");
            // An unsettled message would take up a slot for as long as the connection lasts.
            delivery.done().await;
        }
    }
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
