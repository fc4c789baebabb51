//! Keeps what is known of sessions and commands in line with what other processes do.

use std::sync::Arc;

use runtime::Event;
use tokio::sync::broadcast::error::RecvError;

use crate::app::App;

/// For as long as the process runs.
pub(crate) fn listen(app: Arc<App>) -> impl Future<Output = ()> + Send {
    let mut events = app.context.events.subscribe();
    async move {
        loop {
            match events.recv().await {
                Ok(Event::SessionEnded { guild, session }) => app.sessions.forget((guild, session)).await,
                Ok(Event::CommandAcknowledged { guild, server_id }) => {
                    app.waiting.forget(&(guild, server_id)).await;
                }
                Ok(Event::CommandQueued { guild, servers, .. }) => {
                    for (_, server) in servers {
                        app.waiting.forget(&(guild, server)).await;
                    }
                }
                Ok(Event::Resync) | Err(RecvError::Lagged(_)) => {
                    app.sessions.forget_all();
                    app.waiting.forget_all();
                }
                Ok(_) => {}
                Err(RecvError::Closed) => return,
            }
        }
    }
}
