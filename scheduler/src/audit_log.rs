//! Passes the audit logs on to webhooks and log channels, in the leading process.

use std::time::Duration;

use queue::Queue;
use runtime::Context;

use crate::interval::LeaderInterval;
use runtime::leader::Leadership;

const PASS_INTERVAL: Duration = Duration::from_secs(1);

pub(crate) async fn keep(context: Context, queue: Queue, leadership: Leadership) {
    let mut interval = LeaderInterval::new(PASS_INTERVAL, leadership, context.shutdown.clone());
    while interval.next().await {
        if let Err(error) = jobs::webhooks::pass_on(&context, &queue).await {
            runtime::warn_throttled!(%error, "cannot pass the audit log on to webhooks, trying again");
        }
        if let Err(error) = jobs::log_channels::pass_on(&context, &queue).await {
            runtime::warn_throttled!(%error, "cannot pass the audit log on to log channels, trying again");
        }
    }
}
