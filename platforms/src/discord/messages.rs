//! Messages to people, and in channels. Within a few minutes the platform posts the messages of
//! a channel with one `nonce`, of which the last 25 characters count, once.

use entities::{ChannelId, ChatId, Timestamp};
use reqwest::Method;
use serde::{Deserialize, Serialize};
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

/// The embeds of a message.
pub const MAX_EMBEDS: usize = 10;
/// Characters of all embeds of a message.
pub const MAX_EMBED_CHARS: usize = 6000;

/// A text with its time, in a box of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Embed {
    /// May be formatted, and have links.
    #[serde(rename = "description")]
    pub text: String,
    #[serde(rename = "timestamp")]
    pub at: Timestamp,
}

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
    /// Sends the text, cut to the longest that fits.
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
        let body = json!({ "content": cut(text), "allowed_mentions": { "parse": [] } });
        self.post(call, id, body, nonce).await
    }

    /// Posts the text in a channel, cut to the longest that fits; it pings this person alone.
    pub async fn notice(
        &self,
        call: CallContext,
        channel: ChannelId,
        to: ChatId,
        text: &str,
        nonce: &str,
    ) -> Result<()> {
        let body = json!({ "content": cut(text), "allowed_mentions": { "users": [to] } });
        self.post(call, channel, body, nonce).await
    }

    /// Posts these (1 to 10) as one message in a channel. Who is named in them is not pinged.
    pub async fn post_embeds(
        &self,
        call: CallContext,
        channel: ChannelId,
        embeds: &[Embed],
        nonce: &str,
    ) -> Result<()> {
        self.post(call, channel, json!({ "embeds": embeds, "allowed_mentions": { "parse": [] } }), nonce)
            .await
    }

    /// Posts the text with a button: its label, and its id. Who is named in the text is not pinged.
    pub async fn post_button(
        &self,
        call: CallContext,
        channel: ChannelId,
        text: &str,
        (label, id): (&str, String),
        nonce: &str,
    ) -> Result<()> {
        let button = json!({ "type": 2, "style": 1, "label": label, "custom_id": id });
        let body = json!({ "content": cut(text), "allowed_mentions": { "parse": [] },
                           "components": [{ "type": 1, "components": [button] }] });
        self.post(call, channel, body, nonce).await
    }

    async fn post(&self, call: CallContext, channel: ChannelId, mut body: Value, nonce: &str) -> Result<()> {
        let skipped = nonce.chars().count().saturating_sub(MAX_NONCE_CHARS);
        body["nonce"] = nonce.chars().skip(skipped).collect::<String>().into();
        body["enforce_nonce"] = true.into();
        let path = format!("/channels/{channel}/messages");
        let post = self.request(Method::POST, routes::SEND_MESSAGE, &path)?;
        self.wire.send(call, &post.body(body)).await.map(drop)
    }
}

fn cut(text: &str) -> String {
    text.chars().take(MAX_MESSAGE_CHARS).collect()
}
