//! "Something changed": tells caches, sockets and waiting callers, in this process at once, in others through Redis.
//!
//! Best effort by design: nothing may rest on an event alone. Whoever loses some is told so with [`Event::Resync`],
//! and while the subscription is down ([`Events::trusted`]) cache entries live 1 s at most.

use std::sync::Arc;
use std::time::Duration;

use entities::{
    ChatId, CommandId, GuildId, JobId, Person, PlaceId, PlayId, SanctionKind, SessionId, Subject, Timestamp,
};
use serde::{Deserialize, Serialize};
use tokio::sync::broadcast;

use crate::redis::Redis;
use crate::shutdown::Shutdown;

mod publisher;
mod subscriber;

use publisher::Publisher;
use subscriber::Subscription;

/// Events a slow subscriber may fall behind before it gets `Lagged`, to be treated like [`Event::Resync`].
const BACKLOG: usize = 4_096;

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// An API key was made, changed or revoked.
    KeyChanged {
        public_id: String,
    },
    LinksChanged {
        guild: GuildId,
    },
    BindingsChanged {
        guild: GuildId,
    },
    SettingsChanged {
        guild: GuildId,
    },
    /// Somebody was banned or muted, or is so no longer.
    Moderation {
        guild: GuildId,
        verb: ModerationVerb,
        /// For game servers: the game id where it is known.
        identifier: Subject,
        reason: String,
        /// None: every game of the guild.
        place_id: Option<PlaceId>,
        /// The accounts of the person as they are known, among them the one the ban or mute names.
        chat_id: Option<ChatId>,
        play_id: Option<PlayId>,
        /// Of the guild's moderation, after this change.
        revision: i64,
    },
    /// A staff session is over, however it ended.
    SessionEnded {
        guild: GuildId,
        session: SessionId,
    },
    /// A command waits for game servers, each copy under an id of its own.
    CommandQueued {
        guild: GuildId,
        /// `type` of the interface.
        kind: String,
        target_id: String,
        reason: String,
        issued_at: Timestamp,
        servers: Vec<(CommandId, String)>,
    },
    /// A game server has one command less to wait for.
    CommandAcknowledged {
        guild: GuildId,
        server_id: String,
    },
    /// Game users were flagged for all guilds, or are so no longer.
    ShieldChanged,
    /// A job is to stop.
    JobCancelled {
        job: JobId,
    },
    /// Events may have been missed: drop everything cached.
    Resync,
}

impl Event {
    /// What happened to a person, for its game servers named by the game id where that is known. `None`: nobody.
    pub fn moderation(
        (guild, revision): (GuildId, i64),
        verb: ModerationVerb,
        person: Person,
        (reason, place_id): (&str, Option<PlaceId>),
    ) -> Option<Self> {
        let Person { chat: chat_id, play: play_id } = person;
        let identifier = play_id.map(Subject::Play).or(chat_id.map(Subject::Chat))?;
        let reason = reason.to_owned();
        Some(Self::Moderation { guild, verb, identifier, reason, place_id, chat_id, play_id, revision })
    }
}

/// What happened to somebody, as in the frames of the live channel (`moderation.ban`).
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[serde(rename_all = "snake_case")]
pub enum ModerationVerb {
    Ban,
    Unban,
    Mute,
    Unmute,
}

impl ModerationVerb {
    /// A sanction of this kind came into force.
    pub fn begin_of(kind: SanctionKind) -> Self {
        match kind {
            SanctionKind::Ban => Self::Ban,
            SanctionKind::Mute => Self::Mute,
        }
    }

    /// A sanction of this kind ended.
    pub fn end_of(kind: SanctionKind) -> Self {
        match kind {
            SanctionKind::Ban => Self::Unban,
            SanctionKind::Mute => Self::Unmute,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Ban => "ban",
            Self::Unban => "unban",
            Self::Mute => "mute",
            Self::Unmute => "unmute",
        }
    }
}

/// What travels between processes.
#[derive(Serialize, Deserialize)]
struct Message {
    /// Who sent it, so that nobody hears itself twice.
    origin: String,
    event: Event,
}

#[derive(Clone)]
pub struct Events(Arc<Inner>);

struct Inner {
    local: broadcast::Sender<Event>,
    remote: Option<(Publisher, Subscription)>,
}

impl Events {
    pub fn in_process() -> Self {
        let (local, _) = broadcast::channel(BACKLOG);
        Self(Arc::new(Inner { local, remote: None }))
    }

    /// Publishes to and hears from all processes on this Redis and prefix. Its two tasks run as
    /// [`Shutdown::services`]: what is published during the last moments still gets out.
    pub fn redis(redis: &Redis, shutdown: &Shutdown) -> Self {
        let (local, _) = broadcast::channel(BACKLOG);
        let origin = format!("{:032x}", rand::random::<u128>());
        let publisher = Publisher::start(redis.clone(), origin.clone(), shutdown);
        let subscription = Subscription::start(redis.clone(), origin, local.clone(), shutdown);
        Self(Arc::new(Inner { local, remote: Some((publisher, subscription)) }))
    }

    /// Never blocks. Subscribers in this process have it at once; call it after the commit.
    pub fn publish(&self, event: Event) {
        // An error only says that nobody in this process listens.
        let _ = self.0.local.send(event.clone());
        if let Some((publisher, _)) = &self.0.remote {
            publisher.publish(event);
        }
    }

    /// Everything from now on. Treat `RecvError::Lagged` like [`Event::Resync`].
    pub fn subscribe(&self) -> broadcast::Receiver<Event> {
        self.0.local.subscribe()
    }

    /// Whether changes made by others are heard. Never in-process: a command beside `serve` writes the same file.
    pub fn trusted(&self) -> bool {
        self.0.remote.as_ref().is_some_and(|(_, subscription)| subscription.is_up())
    }

    /// Waits until what was published so far has been sent, for commands about to exit. `false` when it was not.
    pub async fn flush(&self, patience: Duration) -> bool {
        match &self.0.remote {
            Some((publisher, _)) => tokio::time::timeout(patience, publisher.flush()).await.unwrap_or(false),
            None => true,
        }
    }
}

fn channel(redis: &Redis) -> String {
    redis.key("events")
}

#[cfg(test)]
mod tests;
