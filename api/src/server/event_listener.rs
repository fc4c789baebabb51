//! Feeds the live sockets while the process runs.

use std::sync::Arc;

use runtime::Event;
use tokio::sync::broadcast::error::RecvError;

use crate::live;
use crate::state::State;

pub(crate) fn listen(state: Arc<State>) -> impl Future<Output = ()> + Send {
    let mut events = state.context.events.subscribe();
    async move {
        loop {
            let event = match events.recv().await {
                Ok(event) => event,
                Err(RecvError::Lagged(_)) => Event::Resync,
                Err(RecvError::Closed) => return,
            };
            if let Err(error) = live::listener::hear(&state.live, event) {
                tracing::error!(%error, "a frame could not be written: a bug");
            }
        }
    }
}
