//! Messages of the chat platform that the bot wrote: in channels, to people, and as answers to interactions.

pub(crate) mod components;
pub(crate) mod form;
pub(crate) mod modal;

use chrono::{DateTime, Utc};
use entities::{ChannelId, ChatId};
use serde_json::{Value, json};

use crate::message::form::MessageForm;
use crate::snowflake::Snowflake;

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
