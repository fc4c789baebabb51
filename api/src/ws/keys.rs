//! Keys of open sockets: one that is revoked or expires closes its sockets within a second (docs/rules.md 1 and 7).

use std::sync::Arc;
use std::time::Duration;

use runtime::Event;
use tokio::sync::broadcast::error::RecvError;

use crate::app::App;
use crate::guard;

/// Half of the promised second: the other half is for looking.
const EVERY: Duration = Duration::from_millis(500);

pub(crate) fn watch(app: Arc<App>) -> impl Future<Output = ()> + Send {
    let mut events = app.context.events.subscribe();
    async move {
        let mut tick = tokio::time::interval(EVERY);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = tick.tick() => {
                    let trusted = app.context.events.trusted();
                    for key in app.live.keys() {
                        check(&app, &key, trusted).await;
                    }
                }
                event = events.recv() => match event {
                    Ok(Event::KeyChanged { public_id }) if app.live.keys().contains(&public_id) => {
                        check(&app, &public_id, false).await;
                    }
                    // The next tick is near.
                    Ok(_) | Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return,
                },
            }
        }
    }
}

/// With `cached` what is remembered of the key is enough.
async fn check(app: &App, public_id: &str, cached: bool) {
    match guard::is_good(app, public_id, cached).await {
        Ok(true) => {}
        Ok(false) => app.live.end_key(public_id),
        // Nobody knows: then the socket stays.
        Err(error) => tracing::debug!(%error, "cannot look at the key of a socket"),
    }
}
