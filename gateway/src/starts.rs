//! Starts of sessions: the platform takes one in five seconds of all processes together, and a thousand a day.

use std::sync::Arc;
use std::time::Duration;

use entities::leader_lease;
use platforms::Platforms;
use runtime::Context;
use runtime::leader::{Candidate, LEASE_INTERVAL};
use tokio::sync::{Mutex, oneshot};
use twilight_gateway::queue::Queue;

/// Between two starts, with some time for their way.
const PAUSE: Duration = Duration::from_millis(5_200);
/// Before the platform is asked again.
const AGAIN_AFTER: Duration = Duration::from_secs(5);
/// The longest wait for the next day's starts before the platform is asked again.
const LONGEST_WAIT: Duration = Duration::from_mins(10);

#[derive(Clone)]
pub(crate) struct Starts(Arc<Turns>);

struct Turns {
    context: Context,
    platforms: Platforms,
    alone: bool,
    /// One start of this process at a time.
    one: Mutex<()>,
}

impl std::fmt::Debug for Starts {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Starts")
    }
}

impl Queue for Starts {
    fn enqueue(&self, _shard: u32) -> oneshot::Receiver<()> {
        let (go, wait) = oneshot::channel();
        let turns = self.0.clone();
        let stop = turns.context.shutdown.soft().clone();
        turns.context.shutdown.tracker().clone().spawn(stop.run_until_cancelled_owned(turns.give(go)));
        wait
    }
}

impl Starts {
    pub(crate) fn new(context: &Context, platforms: &Platforms, alone: bool) -> Self {
        let (context, platforms) = (context.clone(), platforms.clone());
        Self(Arc::new(Turns { context, platforms, alone, one: Mutex::default() }))
    }
}

impl Turns {
    /// Lets one session start when its turn comes, and keeps the turn for the pause after it.
    async fn give(self: Arc<Self>, go: oneshot::Sender<()>) {
        let _one = self.one.lock().await;
        let mut lease = (!self.alone).then(|| Candidate::new(&self.context, leader_lease::GATEWAY_START));
        if let Some(lease) = &mut lease {
            while !(lease.beat().await.is_ok() && lease.leadership.leads()) {
                if go.is_closed() {
                    return;
                }
                tokio::time::sleep(LEASE_INTERVAL).await;
            }
        }
        self.until_some_are_left().await;
        if go.send(()).is_ok() {
            metrics::counter!("guildhall_gateway_identifies_total").increment(1);
            tokio::time::sleep(PAUSE).await;
        }
        if let Some(lease) = lease {
            let _ = lease.resign().await;
        }
    }

    async fn until_some_are_left(&self) {
        loop {
            let pause = match self.platforms.gateway().await {
                Ok(gateway) => {
                    let starts = gateway.session_start_limit;
                    metrics::gauge!("guildhall_gateway_identifies_left").set(f64::from(starts.remaining));
                    if starts.remaining > 0 {
                        return;
                    }
                    tracing::error!(
                        reset_after_ms = starts.reset_after,
                        "all sessions that the chat platform allows in a day are used up: no events until then"
                    );
                    Duration::from_millis(starts.reset_after).clamp(AGAIN_AFTER, LONGEST_WAIT)
                }
                Err(error) => {
                    runtime::warn_throttled!(%error, "cannot read how many sessions may be started");
                    error.retry_after().unwrap_or_default().max(AGAIN_AFTER)
                }
            };
            tokio::time::sleep(pause).await;
        }
    }
}
