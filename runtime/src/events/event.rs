//! The events, and the message that carries them between processes.

use entities::moderation_revision::Change;
use entities::{
    ChatId, CommandId, GuildId, JobId, Person, PlaceId, PlayId, SanctionKind, SessionId, Subject, Timestamp,
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::redis::Redis;

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    KeyChanged {
        public_id: String,
    },
    /// Links were added or removed, or name other accounts.
    LinksChanged {
        guild: GuildId,
    },
    /// Linked players have new names.
    NamesChanged {
        guild: GuildId,
    },
    /// A staff role or a staff member was added, removed or changed.
    StaffChanged {
        guild: GuildId,
    },
    Moderation {
        guild: GuildId,
        verb: ModerationVerb,
        /// For game servers: the game id if it is known.
        identifier: Subject,
        reason: String,
        /// `None`: every game of the guild.
        place_id: Option<PlaceId>,
        /// The person's known accounts, including the one that the ban or mute names.
        chat_id: Option<ChatId>,
        play_id: Option<PlayId>,
        /// The guild's moderation revision after this change.
        revision: i64,
    },
    /// A staff session has ended, for any reason.
    SessionEnded {
        guild: GuildId,
        session: SessionId,
    },
    /// A command was queued for game servers, each copy under its own id.
    CommandQueued {
        guild: GuildId,
        /// The command's `type` in the API.
        kind: String,
        target_id: String,
        reason: String,
        issued_at: Timestamp,
        servers: Vec<(CommandId, String)>,
    },
    /// A game server's pending command was acknowledged or expired.
    CommandAcknowledged {
        guild: GuildId,
        server_id: String,
    },
    /// Game users were flagged for all guilds, or their flags lifted.
    ShieldChanged {
        plays: Vec<PlayId>,
    },
    /// Running jobs must stop.
    JobsCancelled {
        jobs: Vec<JobId>,
    },
    /// Anything may have changed: drop everything cached.
    Resync,
}

impl Event {
    /// A moderation change for game servers, by the game id if it is known. `None`: the person has no account.
    pub fn moderation(
        change: &Change,
        verb: ModerationVerb,
        person: Person,
        reason: &str,
        place_id: Option<PlaceId>,
    ) -> Option<Self> {
        let &Change { guild, revision, .. } = change;
        let Person { chat: chat_id, play: play_id } = person;
        let identifier = play_id.map(Subject::Play).or(chat_id.map(Subject::Chat))?;
        let reason = reason.to_owned();
        Some(Self::Moderation { guild, verb, identifier, reason, place_id, chat_id, play_id, revision })
    }
}

/// The verb of a change, as in the frames of the live channel (`moderation.ban`).
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

/// The message between processes.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub(super) struct Message {
    /// The event's id in the change log.
    pub(super) id: Uuid,
    pub(super) event: Event,
}

impl Message {
    pub(super) fn new(event: Event) -> Self {
        Self { id: Uuid::now_v7(), event }
    }
}

/// The Redis channel of all processes.
pub(super) fn channel(redis: &Redis) -> String {
    redis.key("events")
}
