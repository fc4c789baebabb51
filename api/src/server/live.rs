//! Feeds the live sockets while the process runs, and closes those whose key or person is no longer admitted.

mod changes;
mod events;
mod keys;
pub(crate) mod open;

use std::sync::Arc;

use console::Console;
use runtime::Event;
use tokio::sync::broadcast::error::RecvError;

use crate::cache::commands::Command;
use crate::live::dashboard::people;
use crate::live::frames::{Frame, Moderation};
use crate::live::sockets::{Live, Message};
use crate::response::rows::Seconds;
use crate::state::State;

pub(super) fn start(state: &Arc<State>, console: &Arc<Console>) {
    let (services, hard) = (state.context.shutdown.services(), state.context.shutdown.hard());
    services.spawn(hard.clone().run_until_cancelled_owned(listen(state.clone())));
    services.spawn(hard.clone().run_until_cancelled_owned(keys::watch(state.clone())));
    services.spawn(hard.clone().run_until_cancelled_owned(events::listen(state.clone())));
    services.spawn(hard.clone().run_until_cancelled_owned(changes::follow(state.clone())));
    let people = people::watch(state.people.clone(), console.clone());
    services.spawn(hard.clone().run_until_cancelled_owned(people));
}

fn listen(state: Arc<State>) -> impl Future<Output = ()> + Send {
    let mut events = state.context.events.subscribe();
    async move {
        loop {
            let event = match events.recv().await {
                Ok(event) => event,
                Err(RecvError::Lagged(_)) => Event::Resync,
                Err(RecvError::Closed) => return,
            };
            if let Err(error) = tell(&state.live, event).await {
                tracing::error!(%error, "a frame could not be written: a bug");
            }
        }
    }
}

/// Events as frames for the sockets they concern.
async fn tell(live: &Live, event: Event) -> Result<(), serde_json::Error> {
    match event {
        Event::Moderation { guild, verb, identifier, reason, place_id, .. } => {
            let what = Moderation { identifier: identifier.to_string(), reason, place_id };
            let frame = Frame::moderation(verb.name(), &what)?;
            live.tell_guild(guild, place_id, &Message::Frame(frame.into())).await;
        }
        Event::CommandQueued { guild, kind, target_id, reason, issued_at, servers } => {
            for (id, server) in servers {
                let frame = || {
                    Frame::command(&Command {
                        id,
                        kind: kind.clone(),
                        target_id: target_id.clone(),
                        reason: reason.clone(),
                        issued_at: Seconds(issued_at),
                    })
                };
                live.tell_server(guild, server, frame)?;
                // A command may go to thousands of servers.
                tokio::task::coop::consume_budget().await;
            }
        }
        Event::Resync => live.tell_all(&Message::ReadAgain).await,
        _ => {}
    }
    Ok(())
}
