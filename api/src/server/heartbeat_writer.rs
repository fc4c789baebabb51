//! Writes collected heartbeats and uses of keys twice a second, and a last time at the end.

use std::sync::Arc;
use std::time::Duration;

use crate::state::State;

const WRITE_INTERVAL: Duration = Duration::from_millis(500);

/// Writes batches while the process runs, the last one after all requests have ended.
pub(crate) async fn write_batches(state: Arc<State>) {
    let hard = state.context.shutdown.hard().clone();
    let mut tick = tokio::time::interval(WRITE_INTERVAL);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        let last = tokio::select! {
            _ = tick.tick() => false,
            () = hard.cancelled() => true,
        };
        let sessions = state.write_session_heartbeats().await;
        let servers = state.heartbeats.write_servers(&state.context).await;
        let keys = state.heartbeats.write_keys(&state.context).await;
        if let Err(error) = sessions.and(servers).and(keys) {
            runtime::warn_throttled!(%error, last, "cannot write heartbeats and uses of keys");
        }
        if last {
            return;
        }
    }
}
