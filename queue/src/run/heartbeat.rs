//! A process's right to run jobs: its row, and the heartbeat that the database confirms again and again.
//!
//! A process can stand still for a minute and not know it, or lose the database; either way it may have been declared
//! dead, and its jobs run elsewhere. So its runs go on only while its heartbeat was confirmed a moment ago, by its own
//! monotonic clock, and a process whose row is gone drops them and registers anew.
//!
//! With each heartbeat goes a look at what the database believes this process to run. Runs hear of a cancel by it. A
//! claim whose answer was lost on its way, or whose end could not be written, is run by no task: it is retried.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use entities::job::{Claim, listing, run};
use entities::{Timestamp, worker};
use runtime::Clock;
use sea_orm::DbErr;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::complete::Complete;
use super::failure;
use super::identity::Identity;
use super::pool::Running;
use crate::Queue;

/// Time between two heartbeats.
const EVERY: Duration = Duration::from_secs(3);
/// Time to the next try where one failed, and within which a run that stood still is polled again.
const SOON: Duration = Duration::from_secs(1);
/// A heartbeat confirmed longer ago leaves the process in doubt: well before it can be declared dead.
const DOUBT: Duration = Duration::from_secs(10);
/// Longest wait for the answer to a claim; a later answer is not used.
pub(super) const CLAIM_TIMEOUT: Duration = Duration::from_secs(5);
/// A claim that no task runs is retried when it was seen for so long: more than [`CLAIM_TIMEOUT`].
const STRAY_AFTER: Duration = Duration::from_secs(8);

/// One registration of this process.
#[derive(Debug)]
pub(super) struct Registration {
    pub(super) name: String,
    /// When the newest confirmed heartbeat was asked for, by the steady clock and by the time of day.
    confirmed: Mutex<(Duration, Timestamp)>,
    /// Cancelled when the process was declared dead under this name.
    pub(super) void: CancellationToken,
}

impl Registration {
    fn new(name: String, asked: (Duration, Timestamp)) -> Self {
        Self { name, confirmed: Mutex::new(asked), void: CancellationToken::new() }
    }

    /// Time since the last confirmation, by whichever of this machine's clocks says more: the monotonic one stands
    /// still while the machine sleeps.
    fn age(&self, clock: &Clock) -> Duration {
        let (steady, time) = *self.confirmed.lock().unwrap_or_else(PoisonError::into_inner);
        clock.steady().saturating_sub(steady).max((clock.now() - time).to_std().unwrap_or_default())
    }

    pub(super) fn in_doubt(&self, clock: &Clock) -> bool {
        self.void.is_cancelled() || self.age(clock) >= DOUBT
    }

    /// Whether the process may start something: its heartbeat was confirmed a moment ago, or is now.
    pub(super) async fn is_confirmed(&self, queue: &Queue) -> Result<bool, DbErr> {
        Ok(!self.in_doubt(&queue.clock) || self.beat(queue).await?)
    }

    /// One heartbeat; false when the process was declared dead. What counts is when it was asked for, not when the
    /// answer was seen.
    pub(super) async fn beat(&self, queue: &Queue) -> Result<bool, DbErr> {
        let asked = (queue.clock.steady(), queue.clock.now());
        let beating = worker::beat(queue.database.write(), &self.name, asked.1);
        let late = |_| DbErr::Custom("the database did not answer a heartbeat in time".to_owned());
        let alive = tokio::time::timeout(EVERY, beating).await.map_err(late)??;
        if alive {
            *self.confirmed.lock().unwrap_or_else(PoisonError::into_inner) = asked;
        } else {
            self.void.cancel();
        }
        Ok(alive)
    }

    /// Returns when the process was declared dead. Wakes the task every second, so that a run which stood still for want
    /// of a confirmation goes on.
    pub(super) async fn voided(&self) {
        while tokio::time::timeout(SOON, self.void.cancelled()).await.is_err() {}
    }
}

/// Keeps the process registered until it ends; the newest registration is in `current`.
pub(super) async fn keep(
    queue: Queue,
    identity: Identity,
    running: Running,
    current: watch::Sender<Option<Arc<Registration>>>,
) {
    let mut strays = Strays::default();
    for number in 1_u32.. {
        let Some(registration) = register(&queue, &identity, number).await else { return };
        current.send_replace(Some(Arc::clone(&registration)));
        if keep_one(&queue, &registration, &running, &mut strays).await {
            // What is still running under it is rescued at once.
            drop(worker::delete(queue.database.write(), &registration.name).await);
            return;
        }
        tracing::warn!(worker = registration.name, "declared dead: its runs are dropped, registering anew");
    }
}

pub(super) async fn register(queue: &Queue, identity: &Identity, number: u32) -> Option<Arc<Registration>> {
    let name = if number == 1 { identity.name.clone() } else { format!("{}#{number}", identity.name) };
    loop {
        let asked = (queue.clock.steady(), queue.clock.now());
        let row = worker::Model {
            name: name.clone(),
            host: identity.host.clone(),
            version: identity.version.clone(),
            slots: identity.slots.clone(),
            started_at: asked.1,
            heartbeat_at: asked.1,
        };
        match queue.database.in_time(worker::register(queue.database.write(), row, asked.1)).await {
            Ok(()) => return Some(Arc::new(Registration::new(name, asked))),
            Err(error) => tracing::warn!(%error, "cannot register this worker process, trying again"),
        }
        if over(queue, SOON).await {
            return None;
        }
    }
}

/// True: the process ends; false: it was declared dead.
async fn keep_one(
    queue: &Queue,
    registration: &Registration,
    running: &Running,
    strays: &mut Strays,
) -> bool {
    let mut pause = EVERY;
    loop {
        if over(queue, pause).await {
            return true;
        }
        pause = match registration.beat(queue).await {
            Ok(false) => return false,
            Ok(true) => match strays.look(queue, registration, running).await {
                Ok(()) => EVERY,
                Err(error) => {
                    tracing::warn!(%error, "cannot look at what this process runs");
                    EVERY
                }
            },
            Err(error) => {
                tracing::warn!(%error, "heartbeat failed, trying again");
                SOON
            }
        };
    }
}

/// Whether the process has ended within the pause. Until then it gives heartbeats, also while it drains.
async fn over(queue: &Queue, pause: Duration) -> bool {
    tokio::time::timeout(pause, queue.shutdown.tracker().wait()).await.is_ok()
}

/// Claims that the database knows and no task runs, and since when they were seen.
#[derive(Default)]
pub(super) struct Strays(HashMap<Claim, Duration>);

impl Strays {
    pub(super) async fn look(
        &mut self,
        queue: &Queue,
        registration: &Registration,
        running: &Running,
    ) -> Result<(), DbErr> {
        let now = queue.clock.steady();
        let known = run::of_worker(queue.database.read(), &registration.name).await?;
        let mut seen = HashMap::new();
        for row in known {
            if row.cancel_requested {
                running.cancel(row.claim.job);
            }
            if !running.has(row.claim) {
                seen.insert(row.claim, self.0.get(&row.claim).copied().unwrap_or(now));
            }
        }
        self.0 = seen;
        for (claim, since) in &self.0 {
            if now.saturating_sub(*since) >= STRAY_AFTER {
                retry(queue, *claim).await?;
            }
        }
        Ok(())
    }
}

async fn retry(queue: &Queue, claim: Claim) -> Result<(), DbErr> {
    let job = listing::find_any(queue.database.read(), claim.job).await?;
    let Some(job) = job.filter(|job| job.claim() == claim) else { return Ok(()) };
    tracing::warn!(job.id = %job.job_id, job.kind = job.kind, "a run ended without a result, trying again");
    let interrupted = failure(500, "interrupted", "the run ended without a result");
    Complete::of_dead(queue, &job).retry(&interrupted).await.map(drop)
}
