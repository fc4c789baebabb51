//! Where the jobs of a class come from: messages of the broker, and the safety net.
//!
//! A message is acknowledged after the claim; from then on only the row and this process's heartbeat decide. Once a
//! second a class with free slots also claims what has been available for a while, oldest first; while messages come,
//! only what they have overtaken by as much, for a backlog is theirs to bring. So a message that was lost, or could not
//! be claimed by, costs two seconds, and a retry needs no message.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use entities::Timestamp;
use entities::job::claim::Available;
use entities::job::{Claim, Class, Model, Ticket, claim};
use runtime::fail_point;
use sea_orm::DbErr;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, MissedTickBehavior};

use super::batch::Claimer;
use super::heartbeat::{CLAIM_TIMEOUT, Registration};
use super::pool::Pool;
use super::single;
use crate::Queue;
use crate::broker::Delivery;

/// Time between two looks of the safety net.
const NET_EVERY: Duration = Duration::from_secs(1);
/// A job gets this long to be claimed by its message; none while the broker is away.
const NET_AFTER: Duration = Duration::from_secs(2);
/// A process that cannot claim for want of the database takes no further message for this long.
const DATABASE_PAUSE: Duration = Duration::from_secs(1);

/// A job that this process may run, and the registration it was claimed under.
pub(super) struct Claimed {
    pub(super) job: Model,
    pub(super) registration: Arc<Registration>,
    pub(super) reply_to: Option<String>,
}

/// A class in this process.
struct Lane {
    class: Class,
    free: Arc<Semaphore>,
    /// When the newest job became available of which a message came since the last look of the safety net.
    newest: Mutex<Option<Timestamp>>,
}

impl Lane {
    fn newest(&self) -> MutexGuard<'_, Option<Timestamp>> {
        self.newest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn brought(&self, run_at: Timestamp) {
        let mut newest = self.newest();
        *newest = (*newest).max(Some(run_at));
    }
}

pub(super) async fn take(pool: Arc<Pool>, class: Class, slots: u16) {
    let free = Arc::new(Semaphore::new(usize::from(slots)));
    let lane = Arc::new(Lane { class, free, newest: Mutex::default() });
    let mut deliveries = pool.queue.broker.consume(class, slots);
    let soft = pool.queue.shutdown.soft().clone();
    let mut net = tokio::time::interval(NET_EVERY);
    net.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // Its sender lives until the process ends, and so does this loop.
    drop(pool.registration.clone().wait_for(Option::is_some).await);
    loop {
        let Ok(slot) = Arc::clone(&lane.free).acquire_owned().await else { return };
        tokio::select! {
            biased;
            () = soft.cancelled() => return,
            _ = net.tick() => {
                if cast_net(&pool, &lane, slot).await {
                    net.reset_at(Instant::now());
                }
            }
            delivery = deliveries.next() => match delivery {
                Some(delivery) => spawn((&pool, &lane), Work::Message(delivery), slot),
                None => return,
            },
        }
    }
}

enum Work {
    Message(Delivery),
    Claimed(Box<Claimed>),
}

fn spawn((pool, lane): (&Arc<Pool>, &Arc<Lane>), work: Work, slot: OwnedSemaphorePermit) {
    let tracker = pool.queue.shutdown.tracker().clone();
    let (pool, lane) = (Arc::clone(pool), Arc::clone(lane));
    tracker.spawn(async move {
        let claimed = match work {
            Work::Message(delivery) => claim_published(&pool, &lane, delivery).await,
            Work::Claimed(claimed) => {
                fail_point("after_claim", &claimed.job.kind).await;
                Some(*claimed)
            }
        };
        if let Some(claimed) = claimed {
            single::run(&pool, claimed).await;
        }
        drop(slot);
    });
}

/// Claims the job of a message; the message has done its work then, whatever came of it.
async fn claim_published(pool: &Pool, lane: &Lane, delivery: Delivery) -> Option<Claimed> {
    let Ticket { job, run_at, kind, reply_to, .. } = delivery.ticket.clone();
    lane.brought(run_at);
    if !pool.registry.knows(&kind) {
        tracing::debug!(job.id = %job, job.kind = kind, "unknown kind of job: it stays queued");
        metrics::counter!("guildhall_jobs_unknown_total", "kind" => kind).increment(1);
        return None;
    }
    let registration = pool.registration.borrow().clone()?;
    let (queue, published) = (&pool.queue, delivery.ticket.claim());
    let claimed = claim_confirmed((queue, &pool.claimer), published, &registration).await;
    match &claimed {
        Ok(Some(_)) => fail_point("after_claim", &kind).await,
        Ok(None) => {}
        Err(error) => {
            tracing::warn!(job.id = %job, %error, "cannot claim a job: the safety net will");
            tokio::time::sleep(DATABASE_PAUSE).await;
        }
    }
    drop(delivery);
    let job = claimed.ok()??;
    fail_point("after_ack", &kind).await;
    Some(Claimed { job, registration, reply_to })
}

/// A process that stood still may have been declared dead: what it claimed then would count as crashed with it.
pub(super) async fn claim_confirmed(
    (queue, claimer): (&Queue, &Claimer),
    published: Claim,
    registration: &Arc<Registration>,
) -> Result<Option<Model>, DbErr> {
    if !registration.is_confirmed(queue).await? {
        return Ok(None);
    }
    claimer.claim(published, registration).await
}

/// True when there may be more than was claimed.
async fn cast_net(pool: &Arc<Pool>, lane: &Arc<Lane>, slot: OwnedSemaphorePermit) -> bool {
    let Some(registration) = pool.registration.borrow().clone() else { return false };
    let most = (1 + lane.free.available_permits()).min(claim::most(pool.queue.database.is_postgres()));
    let kinds = pool.registry.kinds().collect::<Vec<_>>();
    let overtaken = lane.newest().take();
    match claim_available(&pool.queue, (lane.class, &kinds, overtaken), most, &registration).await {
        Ok(jobs) => {
            let full = jobs.len() == most;
            let mut slots = Some(slot);
            for job in jobs {
                let Some(slot) = slots.take().or_else(|| Arc::clone(&lane.free).try_acquire_owned().ok())
                else {
                    // Permits are taken by this loop only.
                    break;
                };
                let reply_to = job.reply_to.clone();
                let claimed = Claimed { job, registration: Arc::clone(&registration), reply_to };
                spawn((pool, lane), Work::Claimed(Box::new(claimed)), slot);
            }
            full
        }
        Err(error) => {
            tracing::warn!(class = lane.class.name(), %error, "the safety net cannot reach the database");
            false
        }
    }
}

pub(super) async fn claim_available(
    queue: &Queue,
    (class, kinds, overtaken): (Class, &[&'static str], Option<Timestamp>),
    most: usize,
    registration: &Registration,
) -> Result<Vec<Model>, DbErr> {
    let (since, overtaken) =
        if queue.broker.is_connected() { (NET_AFTER, overtaken) } else { (Duration::ZERO, None) };
    let wanted = Available { class, kinds, since, overtaken, most: most as u64 };
    if !registration.is_confirmed(queue).await? {
        return Ok(Vec::new());
    }
    let claiming = claim::available(queue.database.write(), wanted, &registration.name, queue.clock.now());
    let late = |_| DbErr::Custom("the database did not answer in time".to_owned());
    tokio::time::timeout(CLAIM_TIMEOUT, claiming).await.map_err(late)?
}
