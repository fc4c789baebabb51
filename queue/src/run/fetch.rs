//! Sources of jobs of a class: broker messages and the safety net.
//!
//! A message is acknowledged after the claim; from then on only the row and this process's heartbeat decide. Once a
//! second a class with free slots also claims jobs that have been available for two seconds, oldest first. While
//! messages arrive, it claims only jobs that became due two seconds before those of the messages, and leaves the others
//! to their messages. So a lost message, or a failed claim, costs two seconds, and a retry needs no message.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use entities::job::claim::Available;
use entities::job::{Class, Model, Published, claim};
use entities::{JobId, Timestamp};
use sea_orm::DbErr;
use tokio::sync::Semaphore;
use tokio::time::{Instant, MissedTickBehavior};

use super::pool::Pool;
use super::registration::Registration;
use super::single::{self, Claimed};
use crate::Queue;
use crate::broker::Delivery;

/// Polling interval of the safety net.
const SAFETY_NET_INTERVAL: Duration = Duration::from_secs(1);
/// Time for a job to be claimed by its message; zero while the broker is down.
pub(super) const SAFETY_NET_DELAY: Duration = Duration::from_secs(2);
/// Timeout of a claim; a later response is not used.
const CLAIM_TIMEOUT: Duration = Duration::from_secs(5);
/// A process whose claim failed for lack of the database takes no further message for this long.
const DATABASE_PAUSE: Duration = Duration::from_secs(1);

/// Claims jobs of a class and starts them, up to the number of free slots: a batch holds the messages that arrived
/// during the previous claim.
pub(super) async fn take(pool: Arc<Pool>, class: Class, slots: u16) {
    let free = Arc::new(Semaphore::new(usize::from(slots)));
    let longest = claim::most(pool.queue.database.is_postgres());
    let mut deliveries = pool.queue.broker.consume(class, slots);
    let soft = pool.queue.shutdown.soft().clone();
    let mut net = tokio::time::interval(SAFETY_NET_INTERVAL);
    net.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // The sender lives until the process ends, and so does this loop.
    drop(pool.registration.clone().wait_for(Option::is_some).await);
    // When the newest job became available whose message came since the last poll of the safety net.
    let mut newest = None;
    loop {
        // Only this loop takes slots, so free slots stay free.
        drop(free.acquire().await);
        if soft.is_cancelled() {
            return;
        }
        let most = free.available_permits().min(longest);
        // Not biased: while old jobs keep filling the slots, messages get their turns too.
        let claimed = tokio::select! {
            () = soft.cancelled() => return,
            _ = net.tick() => {
                let claimed = cast_net(&pool, class, newest.take(), most).await;
                if claimed.len() == most {
                    // There may be more jobs.
                    net.reset_at(Instant::now());
                }
                claimed
            }
            next = deliveries.next(most) => {
                let Some(last) = next.iter().map(|delivery| delivery.message.run_at).max() else { return };
                newest = newest.max(Some(last));
                claim_deliveries(&pool, next).await
            }
        };
        for claimed in claimed {
            let Ok(slot) = Arc::clone(&free).try_acquire_owned() else { return };
            let own = Arc::clone(&pool);
            pool.queue.shutdown.tracker().spawn(async move {
                single::run(&own, claimed).await;
                drop(slot);
            });
        }
    }
}

/// Claims the jobs of messages. The messages of other jobs are acknowledged, whatever the result.
async fn claim_deliveries(pool: &Pool, mut deliveries: Vec<Delivery>) -> Vec<Claimed> {
    deliveries.retain(|delivery| knows(pool, delivery));
    if deliveries.is_empty() {
        return Vec::new();
    }
    let Some(registration) = pool.registration.borrow().clone() else { return Vec::new() };
    let jobs: Vec<Published> = deliveries.iter().map(|delivery| delivery.message.published()).collect();
    match published(&pool.queue, &jobs, &registration).await {
        Ok(jobs) => {
            let mut deliveries: HashMap<JobId, Delivery> =
                deliveries.into_iter().map(|delivery| (delivery.message.job, delivery)).collect();
            let claimed = |job: Model| {
                let delivery = deliveries.remove(&job.job_id);
                Claimed { job, registration: Arc::clone(&registration), delivery }
            };
            jobs.into_iter().map(claimed).collect()
        }
        Err(error) => {
            runtime::warn_throttled!(jobs = jobs.len(), %error, "cannot claim jobs: the safety net will");
            tokio::time::sleep(DATABASE_PAUSE).await;
            Vec::new()
        }
    }
}

fn knows(pool: &Pool, delivery: &Delivery) -> bool {
    let (job, kind) = (delivery.message.job, &delivery.message.kind);
    let knows = pool.registry.knows(kind);
    if !knows {
        tracing::debug!(job.id = %job, job.kind = kind, "unknown kind of job: it stays queued");
        metrics::counter!("guildhall_jobs_unknown_total", "kind" => kind.clone()).increment(1);
    }
    knows
}

async fn cast_net(pool: &Pool, class: Class, overtaken: Option<Timestamp>, most: usize) -> Vec<Claimed> {
    let Some(registration) = pool.registration.borrow().clone() else { return Vec::new() };
    let kinds = pool.registry.kinds().collect::<Vec<_>>();
    let wanted = Available { class, kinds: &kinds, since: SAFETY_NET_DELAY, overtaken, most: most as u64 };
    let jobs = available(&pool.queue, wanted, &registration).await;
    let jobs = jobs.unwrap_or_else(|error| {
        runtime::warn_throttled!(class = class.name(), %error, "the safety net cannot reach the database");
        Vec::new()
    });
    let claimed = |job| Claimed { job, registration: Arc::clone(&registration), delivery: None };
    jobs.into_iter().map(claimed).collect()
}

/// Claims published jobs.
pub(super) async fn published(
    queue: &Queue,
    jobs: &[Published],
    registration: &Registration,
) -> Result<Vec<Model>, DbErr> {
    let (conn, now) = (queue.database.write(), queue.clock.now());
    if_confirmed(queue, registration, claim::published(conn, jobs, &registration.name, now)).await
}

/// Claims jobs open to the safety net.
pub(super) async fn available(
    queue: &Queue,
    wanted: Available<'_>,
    registration: &Registration,
) -> Result<Vec<Model>, DbErr> {
    let wanted = if queue.broker.is_connected() {
        wanted
    } else {
        Available { since: Duration::ZERO, overtaken: None, ..wanted }
    };
    let (conn, now) = (queue.database.write(), queue.clock.now());
    if_confirmed(queue, registration, claim::available(conn, wanted, &registration.name, now)).await
}

/// A frozen process may have been declared dead: the jobs of its claim would then count as crashed.
async fn if_confirmed(
    queue: &Queue,
    registration: &Registration,
    claiming: impl Future<Output = Result<Vec<Model>, DbErr>>,
) -> Result<Vec<Model>, DbErr> {
    if !registration.is_confirmed(queue).await? {
        return Ok(Vec::new());
    }
    let late = |_| DbErr::Custom("the database did not answer a claim in time".to_owned());
    tokio::time::timeout(CLAIM_TIMEOUT, claiming).await.map_err(late)?
}
