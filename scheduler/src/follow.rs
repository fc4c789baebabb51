//! Starts the passes by which guilds follow the game platform, in the leading process.

use std::time::Duration;

use queue::Queue;
use runtime::Context;

use crate::interval::LeaderInterval;
use runtime::leader::Leadership;

const LOOK_INTERVAL: Duration = Duration::from_secs(2);

pub(crate) async fn keep(context: Context, queue: Queue, leadership: Leadership) {
    let mut interval = LeaderInterval::new(LOOK_INTERVAL, leadership, context.shutdown.clone());
    while interval.next().await {
        if let Err(error) = jobs::follow::look(&context, &queue).await {
            runtime::warn_throttled!(%error, "cannot start the passes that are due, trying again");
        }
    }
}
