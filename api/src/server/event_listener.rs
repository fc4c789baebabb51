//! Feeds the live sockets while the process runs.

use std::sync::Arc;

use runtime::Event;
use tokio::sync::broadcast::error::RecvError;

use crate::cache::commands::Command;
use crate::live::frames::{Frame, Moderation};
use crate::live::sockets::{Live, Message};
use crate::response::reply::Seconds;
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
            if let Err(error) = tell(&state.live, event) {
                tracing::error!(%error, "a frame could not be written: a bug");
            }
        }
    }
}

/// Events as frames for the sockets they concern.
fn tell(live: &Live, event: Event) -> Result<(), serde_json::Error> {
    match event {
        Event::Moderation { guild, verb, identifier, reason, place_id, .. } => {
            let what = Moderation { identifier: identifier.to_string(), reason, place_id };
            let frame = Frame::moderation(verb.name(), &what)?;
            // A ban of one place does not concern servers of others.
            live.tell(guild, |at| {
                place_id.is_none_or(|place| place == at.place).then(|| Message::Frame(frame.clone()))
            });
        }
        Event::CommandQueued { guild, kind, target_id, reason, issued_at, servers } => {
            for (id, server) in servers {
                let command = Command {
                    id,
                    kind: kind.clone(),
                    target_id: target_id.clone(),
                    reason: reason.clone(),
                    issued_at: Seconds(issued_at),
                };
                let frame = Frame::command(&command)?;
                live.tell(guild, |at| (at.server == server).then(|| Message::Frame(frame.clone())));
            }
        }
        Event::Resync => live.tell_all(|| Message::ReadAgain),
        _ => {}
    }
    Ok(())
}
