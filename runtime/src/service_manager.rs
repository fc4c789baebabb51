//! What systemd asks of a service (`Type=notify`, `WatchdogSec=`): that it has started, that it stops, and that it is alive.
//! Elsewhere nothing happens.

use sd_notify::NotifyState;

use crate::shutdown::Shutdown;

/// Call it once the process serves.
pub fn started(shutdown: &Shutdown) {
    tell(NotifyState::Ready);
    let watched = shutdown.clone();
    shutdown.services().spawn(async move {
        watched.soft().cancelled().await;
        tell(NotifyState::Stopping);
    });
    let Some(limit) = sd_notify::watchdog_enabled() else { return };
    let alive = async move {
        let mut tick = tokio::time::interval(limit / 3);
        loop {
            tick.tick().await;
            tell(NotifyState::Watchdog);
        }
    };
    // Also while the last work ends.
    shutdown.services().spawn(shutdown.hard().clone().run_until_cancelled_owned(alive));
}

fn tell(state: NotifyState<'_>) {
    if let Err(error) = sd_notify::notify(&[state]) {
        crate::warn_throttled!(%error, "cannot tell systemd the state of this service");
    }
}
