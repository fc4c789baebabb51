//! Frames of events, which every process receives, whichever made the change.

use std::sync::Arc;

use entities::{ChatId, CommandId, GuildId, PlaceId, PlayId};
use runtime::Event;
use serde::Serialize;
use tokio::sync::broadcast::error::RecvError;

use crate::live::dashboard::feed::{Feed, RESYNC};
use crate::live::dashboard::frame::{Area, Nothing};
use crate::response::rows::Seconds;
use crate::state::State;

/// Servers of a command that its frame names.
const NAMED: usize = 100;

/// As in the frames of game servers, and the person's known accounts.
#[derive(Serialize)]
struct Moderation {
    identifier: String,
    reason: String,
    place_id: Option<PlaceId>,
    chat_id: Option<ChatId>,
    play_id: Option<PlayId>,
}

/// A command for one or more servers.
#[derive(Serialize)]
struct CommandQueued {
    #[serde(rename = "type")]
    kind: String,
    target_id: String,
    reason: String,
    issued_at: Seconds,
    /// The number of servers.
    servers: usize,
    /// The first hundred of them.
    commands: Vec<OnServer>,
}

#[derive(Serialize)]
struct OnServer {
    id: CommandId,
    server_id: String,
}

#[derive(Serialize)]
struct OfServer {
    server_id: String,
}

pub(super) fn listen(state: Arc<State>) -> impl Future<Output = ()> + Send {
    let mut events = state.context.events.subscribe();
    async move {
        loop {
            match events.recv().await {
                Ok(event) => tell(&state, event),
                Err(RecvError::Lagged(_)) => tell(&state, Event::Resync),
                Err(RecvError::Closed) => return,
            }
        }
    }
}

fn tell(state: &State, event: Event) {
    let feed_of = |guild: GuildId| state.feeds.find(guild);
    match event {
        Event::Moderation { guild, verb, identifier, reason, place_id, chat_id, play_id, .. } => {
            let make = || {
                let identifier = identifier.to_string();
                Moderation { identifier, reason, place_id, chat_id, play_id }
            };
            if let Some(feed) = feed_of(guild) {
                feed.push_event(Area::Moderation, &format!("moderation.{}", verb.name()), make);
            }
        }
        Event::CommandQueued { guild, kind, target_id, reason, issued_at, servers } => {
            let make = || {
                let (count, named) = (servers.len(), servers.into_iter().take(NAMED));
                let commands = named.map(|(id, server_id)| OnServer { id, server_id }).collect();
                let issued_at = Seconds(issued_at);
                CommandQueued { kind, target_id, reason, issued_at, servers: count, commands }
            };
            if let Some(feed) = feed_of(guild) {
                feed.push_event(Area::Moderation, "command.queued", make);
            }
        }
        Event::CommandAcknowledged { guild, server_id } => {
            if let Some(feed) = feed_of(guild) {
                feed.push_event(Area::Moderation, "command.ended", || OfServer { server_id });
            }
        }
        Event::StaffChanged { guild } => {
            state.people.check_soon(Some(guild));
            if let Some(feed) = feed_of(guild) {
                feed.push_event(Area::All, "staff.changed", || Nothing {});
            }
        }
        Event::Resync => {
            state.people.check_soon(None);
            let resync = |(_, feed): (GuildId, Arc<Feed>)| feed.push(Area::All, RESYNC, &Nothing {});
            state.feeds.all().into_iter().for_each(resync);
        }
        _ => {}
    }
}
