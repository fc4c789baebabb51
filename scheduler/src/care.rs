//! Care for the queue: publish what was missed, promote what is due, take back what dead workers held.

use std::time::Duration;

use futures_util::future::BoxFuture;
use queue::Queue;
use runtime::{Context, Shutdown};
use sea_orm::DbErr;

use crate::leader::Leadership;

type Step = fn(&Queue) -> BoxFuture<'_, Result<u64, DbErr>>;

/// One thing done again and again.
struct Duty {
    name: &'static str,
    every: Duration,
    step: Step,
}

/// All of them. The first steps of the retry ladder and the promise of five seconds after a broker's return set the pace.
const DUTIES: [Duty; 4] = [
    Duty {
        name: "relay",
        every: Duration::from_millis(500),
        step: |queue| Box::pin(queue.relay_unpublished()),
    },
    Duty { name: "promote", every: Duration::from_millis(250), step: |queue| Box::pin(queue.promote_due()) },
    Duty {
        name: "take_back",
        every: Duration::from_secs(2),
        step: |queue| Box::pin(queue.take_back_expired()),
    },
    Duty { name: "recover", every: Duration::from_secs(15), step: |queue| Box::pin(queue.recover_lost()) },
];

pub(crate) fn start(context: &Context, queue: &Queue, leadership: &Leadership) {
    for duty in DUTIES {
        let (queue, leadership, shutdown) = (queue.clone(), leadership.clone(), context.shutdown.clone());
        context.shutdown.tracker().spawn(repeat(duty, queue, leadership, shutdown));
    }
    let (queue, leadership, shutdown) = (queue.clone(), leadership.clone(), context.shutdown.clone());
    context.shutdown.tracker().spawn(watch_broker(queue, leadership, shutdown));
}

async fn repeat(duty: Duty, queue: Queue, leadership: Leadership, shutdown: Shutdown) {
    let mut tick = tokio::time::interval(duty.every);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = tick.tick() => {}
            () = shutdown.soft().cancelled() => return,
        }
        if leadership.leads() {
            perform(duty.name, (duty.step)(&queue)).await;
        }
    }
}

async fn perform(name: &'static str, step: BoxFuture<'_, Result<u64, DbErr>>) {
    match step.await {
        Ok(0) => {}
        Ok(jobs) => {
            tracing::debug!(duty = name, jobs, "moved jobs");
            metrics::counter!("guildhall_scheduler_moved_total", "duty" => name).increment(jobs);
        }
        Err(error) => tracing::warn!(duty = name, %error, "cannot care for the queue, trying again"),
    }
}

/// A broker that came back may have forgotten everything: what was published before is looked at anew.
async fn watch_broker(queue: Queue, leadership: Leadership, shutdown: Shutdown) {
    let mut connects = queue.broker().connects();
    loop {
        tokio::select! {
            changed = connects.changed() => if changed.is_err() { return },
            () = shutdown.soft().cancelled() => return,
        }
        if leadership.leads() {
            perform("recover", Box::pin(queue.recover_all())).await;
        }
    }
}

/// At the start of a process that is alone: nothing runs, and its broker is empty.
pub(crate) async fn take_over(queue: &Queue) {
    perform("take_back", Box::pin(queue.take_back_all())).await;
    perform("recover", Box::pin(queue.recover_all())).await;
}
