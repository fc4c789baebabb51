//! Events into frames, for as long as the process runs.

use std::sync::Arc;

use runtime::Event;
use tokio::sync::broadcast::error::RecvError;

use super::frames::{Frame, Moderation};
use super::{Live, News};
use crate::app::App;
use crate::play::Command;
use crate::time::Seconds;

pub(crate) fn listen(app: Arc<App>) -> impl Future<Output = ()> + Send {
    let mut events = app.context.events.subscribe();
    async move {
        loop {
            let heard = match events.recv().await {
                Ok(event) => hear(&app.live, event),
                Err(RecvError::Lagged(_)) => hear(&app.live, Event::Resync),
                Err(RecvError::Closed) => return,
            };
            if let Err(error) = heard {
                tracing::error!(%error, "a frame could not be written: a bug");
            }
        }
    }
}

fn hear(live: &Live, event: Event) -> Result<(), serde_json::Error> {
    match event {
        Event::Moderation { guild, verb, identifier, reason, place_id, .. } => {
            let what = Moderation { identifier: identifier.to_string(), reason, place_id };
            let frame = Frame::moderation(verb.name(), &what)?;
            // A ban of one place is of no concern to the others.
            live.tell(guild, |at| {
                place_id.is_none_or(|place| place == at.place).then(|| News::Frame(frame.clone()))
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
                live.tell(guild, |at| (at.server == server).then(|| News::Frame(frame.clone())));
            }
        }
        Event::Resync => live.tell_all(|| News::LookAgain),
        _ => {}
    }
    Ok(())
}
