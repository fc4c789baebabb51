//! Messages of the chat platform that the bot wrote: in channels, to people, and as answers to interactions.

pub(crate) mod components;
pub(crate) mod form;
pub(crate) mod modal;

use chrono::{DateTime, SecondsFormat, Utc};
use entities::{ChannelId, ChatId};
use serde_json::{Value, json};

use crate::message::form::{EPHEMERAL, MessageForm};
use crate::objects;
use crate::snowflake::Snowflake;
use crate::state::BOT_USER;

/// Flag: the bot "is thinking".
const LOADING: u64 = 1 << 7;
/// Types: an ordinary message, and the answer to a command.
const ORDINARY: u64 = 0;
const COMMAND_ANSWER: u64 = 20;

#[derive(Debug, Clone)]
pub(crate) struct Message {
    pub(crate) id: Snowflake,
    pub(crate) channel: ChannelId,
    pub(crate) content: String,
    pub(crate) embeds: Vec<Value>,
    pub(crate) components: Vec<Value>,
    pub(crate) allowed_mentions: Value,
    /// Another message with it is not posted.
    pub(crate) nonce: Option<String>,
    /// The only one who sees it.
    pub(crate) ephemeral_for: Option<ChatId>,
    pub(crate) thinking: bool,
    /// How often it was changed.
    pub(crate) edits: u32,
    pub(crate) edited: Option<DateTime<Utc>>,
    /// The interaction that it answers.
    pub(crate) answers: Option<Snowflake>,
}

impl Message {
    pub(crate) fn new(id: Snowflake, channel: ChannelId, form: MessageForm) -> Self {
        let MessageForm { content, embeds, components, allowed_mentions, nonce, .. } = form;
        Self {
            id,
            channel,
            content: content.unwrap_or_default(),
            embeds: embeds.unwrap_or_default(),
            components: components.unwrap_or_default(),
            allowed_mentions,
            nonce,
            ephemeral_for: None,
            thinking: false,
            edits: 0,
            edited: None,
            answers: None,
        }
    }

    /// Replaces the fields that are given.
    pub(crate) fn edit(&mut self, form: MessageForm, now: DateTime<Utc>) {
        self.content = form.content.unwrap_or(std::mem::take(&mut self.content));
        self.embeds = form.embeds.unwrap_or(std::mem::take(&mut self.embeds));
        self.components = form.components.unwrap_or(std::mem::take(&mut self.components));
        self.allowed_mentions = form.allowed_mentions;
        self.edits += 1;
        self.edited = Some(now).filter(|_| !self.thinking);
        self.thinking = false;
    }

    pub(crate) fn is_visible_to(&self, user: ChatId) -> bool {
        self.ephemeral_for.is_none_or(|only| only == user)
    }

    /// As the platform sends it.
    pub(crate) fn body(&self) -> Value {
        let ephemeral = if self.ephemeral_for.is_some() { EPHEMERAL } else { 0 };
        let loading = if self.thinking { LOADING } else { 0 };
        let time = |time: DateTime<Utc>| time.to_rfc3339_opts(SecondsFormat::Micros, false);
        let kind = if self.answers.is_some() { COMMAND_ANSWER } else { ORDINARY };
        json!({
            "id": self.id, "type": kind, "channel_id": self.channel, "author": objects::bot(),
            "content": self.content, "embeds": self.embeds, "components": self.components, "attachments": [],
            "mentions": [], "mention_roles": [], "mention_everyone": false, "pinned": false, "tts": false,
            "timestamp": time(self.id.created()), "edited_timestamp": self.edited.map(time),
            "flags": ephemeral | loading, "application_id": BOT_USER.to_string(),
        })
    }

    /// As the control side shows it.
    pub(crate) fn report(&self) -> Value {
        json!({
            "message_id": self.id, "channel_id": self.channel, "content": self.content, "embeds": self.embeds,
            "components": self.components, "allowed_mentions": self.allowed_mentions,
            "ephemeral": self.ephemeral_for.is_some(), "thinking": self.thinking, "edits": self.edits,
            "interaction_id": self.answers,
        })
    }
}
