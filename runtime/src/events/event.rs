//! What is announced, and the message that carries it between processes.

use entities::{
    ChatId, CommandId, GuildId, JobId, Person, PlaceId, PlayId, SanctionKind, SessionId, Subject, Timestamp,
};
use serde::{Deserialize, Serialize};

use crate::redis::Redis;

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
        /// The word that the API calls `type`.
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
pub(super) struct Message {
    /// Who sent it, so that nobody hears itself twice.
    pub(super) origin: String,
    pub(super) event: Event,
}

/// The Redis channel of all processes.
pub(super) fn channel(redis: &Redis) -> String {
    redis.key("events")
}
