//! What is said on the chat platform: the bot's commands, its messages, and interactions of people with both.

use std::collections::{BTreeMap, HashSet};
use std::time::{Duration, Instant, SystemTime};

use chrono::{DateTime, Utc};
use entities::{ChannelId, ChatId, GuildId};
use http::Uri;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::grants::random_text;
use crate::message::Message;
use crate::message::form::MessageForm;
use crate::snowflake::Snowflake;

/// How long the token of an interaction is valid.
const TOKEN_LIFE: Duration = Duration::from_mins(15);
/// Messages and interactions kept; the oldest are dropped.
const KEPT: usize = 20_000;

#[derive(Debug, Default)]
pub(crate) struct Conversations {
    /// Where interactions are sent.
    pub(crate) endpoint: Option<Uri>,
    pub(crate) redirect_uris: Vec<String>,
    /// Registered commands of a guild, or of all guilds, as the platform shows them.
    pub(crate) commands: BTreeMap<Option<GuildId>, Vec<Value>>,
    pub(crate) messages: BTreeMap<Snowflake, Message>,
    pub(crate) interactions: BTreeMap<Snowflake, Interaction>,
    /// The channels of direct messages.
    pub(crate) direct: BTreeMap<ChatId, ChannelId>,
    /// People who take no direct messages.
    pub(crate) closed: HashSet<ChatId>,
    last_id: Snowflake,
}

/// One interaction of a person, and its answer.
#[derive(Debug)]
pub(crate) struct Interaction {
    /// A command, a component or a modal.
    pub(crate) kind: u64,
    pub(crate) token: String,
    pub(crate) user: ChatId,
    pub(crate) guild: Option<GuildId>,
    pub(crate) channel: ChannelId,
    /// The message with the component that was used.
    pub(crate) source: Option<Snowflake>,
    /// When the token ends.
    pub(crate) until: Instant,
    pub(crate) answered: bool,
    /// It came by the event stream, and its answer is waited for.
    pub(crate) waits: Option<oneshot::Sender<Value>>,
    /// The message that the answer made or changes.
    pub(crate) original: Option<Snowflake>,
    pub(crate) modal: Option<Value>,
    /// Why the person sees that the interaction failed.
    pub(crate) failed: Option<String>,
}

impl Interaction {
    pub(crate) fn new(kind: u64, user: ChatId, guild: Option<GuildId>, channel: ChannelId) -> Self {
        Self {
            kind,
            token: random_text(),
            user,
            guild,
            channel,
            source: None,
            until: Instant::now() + TOKEN_LIFE,
            answered: false,
            waits: None,
            original: None,
            modal: None,
            failed: None,
        }
    }
}

impl Conversations {
    pub(crate) fn new_id(&mut self) -> Snowflake {
        self.last_id = self.last_id.next(SystemTime::now());
        self.last_id
    }

    pub(crate) fn add_interaction(&mut self, id: Snowflake, interaction: Interaction) {
        self.interactions.insert(id, interaction);
        if self.interactions.len() > KEPT {
            self.interactions.pop_first();
        }
    }

    /// The message of this channel that an earlier request with this nonce has sent.
    pub(crate) fn with_nonce(&self, channel: ChannelId, nonce: &str) -> Option<&Message> {
        self.in_channel(channel).find(|message| message.nonce.as_deref() == Some(nonce))
    }

    /// Sends a message; the caller may change it afterwards.
    pub(crate) fn add_message(&mut self, channel: ChannelId, form: MessageForm) -> &mut Message {
        let id = self.new_id();
        if self.messages.len() >= KEPT {
            self.messages.pop_first();
        }
        self.messages.entry(id).or_insert(Message::new(id, channel, form))
    }

    /// The direct channel with this person, made at its first use.
    pub(crate) fn direct_channel(&mut self, user: ChatId) -> Option<ChannelId> {
        if let Some(channel) = self.direct.get(&user) {
            return Some(*channel);
        }
        let channel = i64::try_from(self.new_id().get()).ok().and_then(|id| ChannelId::try_from(id).ok())?;
        self.direct.insert(user, channel);
        Some(channel)
    }

    pub(crate) fn recipient(&self, channel: ChannelId) -> Option<ChatId> {
        self.direct.iter().find(|(_, direct)| **direct == channel).map(|(user, _)| *user)
    }

    /// A command by its name: the guild's own one before that of all guilds.
    pub(crate) fn command(&self, guild: GuildId, name: &str) -> Option<&Value> {
        self.commands_of(guild).find(|command| command["name"] == name)
    }

    pub(crate) fn commands_of(&self, guild: GuildId) -> impl Iterator<Item = &Value> {
        let of = |key: Option<GuildId>| self.commands.get(&key).into_iter().flatten();
        of(Some(guild)).chain(of(None))
    }

    /// What a channel shows, oldest first.
    pub(crate) fn in_channel(&self, channel: ChannelId) -> impl Iterator<Item = &Message> {
        self.messages.values().filter(move |message| message.channel == channel)
    }

    /// An interaction and its answer as the person sees them now.
    pub(crate) fn seen(&self, id: Snowflake) -> Option<Value> {
        let interaction = self.interactions.get(&id)?;
        let shown = interaction.original.and_then(|original| self.messages.get(&original));
        let mut seen = shown.map_or_else(
            || {
                json!({ "message_id": null, "content": null, "embeds": [], "components": [],
                       "ephemeral": false, "thinking": false, "edits": 0 })
            },
            Message::report,
        );
        let others = self.messages.values().filter(|message| message.answers == Some(id));
        let others = others.filter(|message| Some(message.id) != interaction.original);
        seen["interaction_id"] = json!(id);
        seen["failed"] = json!(interaction.failed);
        seen["modal"] = json!(interaction.modal);
        seen["followups"] = others.map(Message::report).collect();
        Some(seen)
    }
}

pub(crate) fn now() -> DateTime<Utc> {
    SystemTime::now().into()
}
