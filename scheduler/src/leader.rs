//! Leading: a lease in the database that its holder extends every five seconds.

use std::time::Duration;

use entities::leader_lease;
use runtime::Context;
use tokio::sync::watch;

/// A dead leader is replaced when this has passed (issue 4: leadership moves within 20 s).
pub const LEASE: Duration = Duration::from_secs(15);
const EXTEND_EVERY: Duration = Duration::from_secs(5);
const NAME: &str = "scheduler";

/// Whether this process leads, and its name in the rows it writes.
#[derive(Clone)]
pub(crate) struct Leadership {
    leads: watch::Receiver<bool>,
    pub(crate) holder: String,
}

impl Leadership {
    pub(crate) fn leads(&self) -> bool {
        *self.leads.borrow()
    }
}

pub(crate) fn start(context: &Context, alone: bool) -> Leadership {
    let holder = format!("scheduler-{}", uuid::Uuid::now_v7());
    let (sender, leads) = watch::channel(alone);
    if !alone {
        let (context, holder) = (context.clone(), holder.clone());
        context.shutdown.clone().tracker().spawn(async move { keep(&context, &holder, &sender).await });
    }
    Leadership { leads, holder }
}

async fn keep(context: &Context, holder: &str, leads: &watch::Sender<bool>) {
    let mut tick = tokio::time::interval(EXTEND_EVERY);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = tick.tick() => {}
            () = context.shutdown.soft().cancelled() => break,
        }
        set(leads, acquire(context, holder).await, holder);
    }
    set(leads, false, holder);
    let now = context.clock.now();
    if let Err(error) = leader_lease::release(context.database.write(), NAME, holder, now).await {
        tracing::debug!(%error, "lease not released: it lapses by itself");
    }
}

/// A lease that cannot be extended counts as lost: another process may have it.
async fn acquire(context: &Context, holder: &str) -> bool {
    let now = context.clock.now();
    let acquiring = leader_lease::acquire(context.database.write(), NAME, holder, (now, now + LEASE));
    match tokio::time::timeout(EXTEND_EVERY, acquiring).await {
        Ok(Ok(leads)) => leads,
        Ok(Err(error)) => {
            tracing::warn!(%error, "cannot extend the lease of the leader");
            false
        }
        Err(_) => {
            tracing::warn!("the database did not answer in time for the leader's lease");
            false
        }
    }
}

fn set(leads: &watch::Sender<bool>, now: bool, holder: &str) {
    let changed = leads.send_if_modified(|before| std::mem::replace(before, now) != now);
    metrics::gauge!("guildhall_scheduler_leads").set(f64::from(u8::from(now)));
    if changed && now {
        tracing::info!(holder, "leading: this process cares for queue and schedules");
    } else if changed {
        tracing::info!(holder, "not leading any more");
    }
}
