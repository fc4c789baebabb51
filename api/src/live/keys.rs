//! Keys of open sockets: a key that is revoked or expires closes its sockets within a second (docs/rules.md 1 and 7).

use std::sync::Arc;
use std::time::Duration;

use runtime::Event;
use tokio::sync::broadcast::error::RecvError;

use crate::auth::check::is_good;
use crate::state::State;

/// Half of the promised second: the other half is for the check.
const EVERY: Duration = Duration::from_millis(500);

pub(crate) fn watch(state: Arc<State>) -> impl Future<Output = ()> + Send {
    let mut events = state.context.events.subscribe();
    async move {
        let mut tick = tokio::time::interval(EVERY);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = tick.tick() => {
                    let fresh = state.context.events.freshness().is_fresh();
                    for key in state.live.keys() {
                        check(&state, &key, fresh).await;
                    }
                }
                event = events.recv() => match event {
                    Ok(Event::KeyChanged { public_id }) if state.live.keys().contains(&public_id) => {
                        check(&state, &public_id, false).await;
                    }
                    // The next tick is near.
                    Ok(_) | Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return,
                },
            }
        }
    }
}

/// With `cached` the cached row of the key suffices.
async fn check(state: &State, public_id: &str, cached: bool) {
    match is_good(state, public_id, cached).await {
        Ok(true) => {}
        Ok(false) => state.live.end_key(public_id),
        // The key's validity is unknown: keep the socket open.
        Err(error) => tracing::debug!(%error, "cannot look at the key of a socket"),
    }
}
