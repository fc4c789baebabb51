//! Direct messages to people.

use entities::{ChannelId, ChatId};
use reqwest::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use super::ChatPlatform;
use crate::context::CallContext;
use crate::error::{PlatformError, Result};
use crate::routes::chat as routes;

/// A message has at most this many characters.
const MAX_MESSAGE_CHARS: usize = 2000;
/// A nonce has at most this many.
const MAX_NONCE_CHARS: usize = 25;
/// The platform's code of a refusal: the person takes no messages of the bot.
const TAKES_NO_MESSAGES: i64 = 50_007;

/// What became of a direct message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    Sent,
    /// The person takes no messages of the bot.
    Closed,
}

#[derive(Deserialize)]
struct DirectChannel {
    id: ChannelId,
}

impl ChatPlatform {
    /// Sends the text, cut to the longest that fits; mentions in it ping nobody. Within a few minutes the platform posts
    /// the messages with one `nonce`, of which the last 25 characters count, once.
    pub async fn direct_message(
        &self,
        call: CallContext,
        chat: ChatId,
        text: &str,
        nonce: &str,
    ) -> Result<Delivery> {
        match self.send_direct(call, chat, text, nonce).await {
            Ok(()) => Ok(Delivery::Sent),
            Err(PlatformError::Forbidden { code: TAKES_NO_MESSAGES, .. }) => Ok(Delivery::Closed),
            Err(error) => Err(error),
        }
    }

    async fn send_direct(&self, call: CallContext, chat: ChatId, text: &str, nonce: &str) -> Result<()> {
        let open = self.request(Method::POST, routes::OPEN_DIRECT_CHANNEL, "/users/@me/channels")?;
        let open = open.body(json!({ "recipient_id": chat }));
        let DirectChannel { id } = self.wire.json(call, &open).await?;
        self.post(call, id, text, nonce, json!({ "parse": [] })).await
    }

    /// Like a direct message, in a channel; it pings this person.
    pub async fn notice(
        &self,
        call: CallContext,
        channel: ChannelId,
        to: ChatId,
        text: &str,
        nonce: &str,
    ) -> Result<()> {
        self.post(call, channel, text, nonce, json!({ "users": [to] })).await
    }

    async fn post(
        &self,
        call: CallContext,
        channel: ChannelId,
        text: &str,
        nonce: &str,
        pings: Value,
    ) -> Result<()> {
        let content: String = text.chars().take(MAX_MESSAGE_CHARS).collect();
        let skipped = nonce.chars().count().saturating_sub(MAX_NONCE_CHARS);
        let body = json!({
            "content": content,
            "allowed_mentions": pings,
            "nonce": nonce.chars().skip(skipped).collect::<String>(),
            "enforce_nonce": true,
        });
        let post =
            self.request(Method::POST, routes::SEND_MESSAGE, &format!("/channels/{channel}/messages"))?;
        self.wire.send(call, &post.body(body)).await.map(drop)
    }
}
