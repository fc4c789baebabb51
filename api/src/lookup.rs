//! `/lookup/...` (docs/rules.md 8): which game account a chat user is linked to, and the reverse.

use std::collections::HashMap;

use entities::{ChatId, PlayId, link};
use serde::Serialize;

use crate::call::Call;
use crate::fields::Field;
use crate::http::error::ApiError;
use crate::http::reply::Reply;
use crate::time::Seconds;

/// Ids a batch may ask for (docs/rules.md 3).
pub(crate) const BATCH_MAX: usize = 200;

#[derive(Serialize)]
struct LinkRecord {
    chat_id: ChatId,
    play_id: PlayId,
    play_username: String,
    verified_at: Seconds,
}

/// GET /lookup/chat/:chatId
pub(crate) async fn chat(call: Call) -> Result<Reply, ApiError> {
    let chat: ChatId = call.path("chatId", &ChatId::allowed())?;
    record(link::find_by_chat(call.read(), call.guild(), chat).await?)
}

/// GET /lookup/play/:playId
pub(crate) async fn play(call: Call) -> Result<Reply, ApiError> {
    let play: PlayId = call.path("playId", "a positive integer that fits 63 bits")?;
    record(link::find_by_play(call.read(), call.guild(), play).await?)
}

fn record(found: Option<link::Model>) -> Result<Reply, ApiError> {
    let link::Model { chat_id, play_id, play_username, verified_at, .. } =
        found.ok_or_else(ApiError::not_linked)?;
    Reply::data(&LinkRecord { chat_id, play_id, play_username, verified_at: Seconds(verified_at) })
}

/// An item of the batch: one for each id asked for, in that order.
#[derive(Serialize)]
struct Status {
    #[serde(skip_serializing_if = "Option::is_none")]
    chat_id: Option<ChatId>,
    verified: bool,
    /// Of one who is linked (docs/rules.md 8).
    #[serde(skip_serializing_if = "Option::is_none")]
    play_id: Option<PlayId>,
    /// The game id that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    requested: Option<PlayId>,
}

#[derive(Serialize)]
struct Results<T> {
    results: Vec<T>,
}

/// POST /lookup/status: by chat ids, each echoed, or by game ids, each repeated as `requested` (docs/rules.md 8).
pub(crate) async fn status(call: Call) -> Result<Reply, ApiError> {
    let chats = call.fields.list::<ChatId>("chat_ids", BATCH_MAX)?;
    let plays = call.fields.list::<PlayId>("play_ids", BATCH_MAX)?;
    let results = match (chats, plays) {
        (Some(chats), None) => by_chat(&call, &chats).await?,
        (None, Some(plays)) => by_play(&call, &plays).await?,
        (None, None) => return Err(ApiError::missing("chat_ids", "given, unless `play_ids` is")),
        (Some(_), Some(_)) => {
            return Err(ApiError::body("invalid_field", "give either `chat_ids` or `play_ids`, not both"));
        }
    };
    Reply::data(&Results { results })
}

async fn by_chat(call: &Call, chats: &[ChatId]) -> Result<Vec<Status>, ApiError> {
    let links = link::find_by_chats(call.read(), call.guild(), chats).await?;
    let plays: HashMap<_, _> = links.into_iter().map(|link| (link.chat_id, link.play_id)).collect();
    let status = |chat: &ChatId| {
        let play_id = plays.get(chat).copied();
        Status { chat_id: Some(*chat), verified: play_id.is_some(), play_id, requested: None }
    };
    Ok(chats.iter().map(status).collect())
}

async fn by_play(call: &Call, plays: &[PlayId]) -> Result<Vec<Status>, ApiError> {
    let links = link::find_by_plays(call.read(), call.guild(), plays).await?;
    let chats: HashMap<_, _> = links.into_iter().map(|link| (link.play_id, link.chat_id)).collect();
    let status = |play: &PlayId| {
        let chat_id = chats.get(play).copied();
        Status {
            chat_id,
            verified: chat_id.is_some(),
            play_id: chat_id.and(Some(*play)),
            requested: Some(*play),
        }
    };
    Ok(plays.iter().map(status).collect())
}
