//! POST /lookup/status: by chat ids, each repeated, or by game ids, each repeated as `requested` (docs/rules.md 8).

use std::collections::HashMap;

use entities::{ChatId, PlayId, link};

use crate::endpoints::prelude::*;
use crate::request::values::{Batch, OrTest};

request! {
    pub(crate) struct StatusRequest {
        /// Either these or `play_ids`; an empty list beside a filled one is ignored.
        chat_ids: Option<Batch<ChatId>>,
        /// Either these or `chat_ids`.
        play_ids: Option<Batch<OrTest<PlayId>>>,
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct BatchStatuses {
    results: Vec<BatchStatus>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct BatchStatus {
    /// Null if the request has the id of a game user who is not linked.
    #[schema(required)]
    chat_id: Option<ChatId>,
    verified: bool,
    /// Present where `verified` is true.
    #[serde(skip_serializing_if = "Option::is_none")]
    play_id: Option<PlayId>,
    /// The requested game id, in answers to `play_ids`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<i64>, example = 4_815_162_342_i64)]
    requested: Option<OrTest<PlayId>>,
}

pub(crate) fn operation() -> Operation {
    Operation::new("lookupStatus", "Which of up to 200 users are linked")
        .about("By `chat_ids` or by `play_ids`, not both. One result for each requested id, in that order.")
        .body::<StatusRequest>()
        .body_example(serde_json::json!({ "chat_ids": ["812345678901234567"] }))
        .data::<BatchStatuses>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let StatusRequest { chat_ids, play_ids } = call.body()?;
    let (chats, plays) = match (&chat_ids, &play_ids) {
        (None, None) => return Err(ApiError::missing("chat_ids", "given, unless `play_ids` is")),
        (chats, plays) => {
            (chats.as_ref().map_or(&[][..], |list| &list.0), plays.as_ref().map_or(&[][..], |list| &list.0))
        }
    };
    let results = match (chats, plays) {
        (chats, []) => by_chat(&call, chats).await?,
        ([], plays) => by_play(&call, plays).await?,
        _ => return Err(ApiError::body("invalid_field", "give either `chat_ids` or `play_ids`, not both")),
    };
    Reply::data(&BatchStatuses { results })
}

async fn by_chat(call: &Call, chats: &[ChatId]) -> Result<Vec<BatchStatus>, ApiError> {
    let links = link::find_by_chats(call.read(), call.guild(), chats).await?;
    let plays: HashMap<_, _> = links.into_iter().map(|link| (link.chat_id, link.play_id)).collect();
    let status = |chat: &ChatId| {
        let play_id = plays.get(chat).copied();
        BatchStatus { chat_id: Some(*chat), verified: play_id.is_some(), play_id, requested: None }
    };
    Ok(chats.iter().map(status).collect())
}

async fn by_play(call: &Call, asked: &[OrTest<PlayId>]) -> Result<Vec<BatchStatus>, ApiError> {
    let plays: Vec<_> = asked.iter().copied().filter_map(OrTest::player).collect();
    let links = link::find_by_plays(call.read(), call.guild(), &plays).await?;
    let chats: HashMap<_, _> = links.into_iter().map(|link| (link.play_id, link.chat_id)).collect();
    let status = |asked: &OrTest<PlayId>| {
        let play_id = asked.player().filter(|play| chats.contains_key(play));
        let chat_id = play_id.and_then(|play| chats.get(&play).copied());
        BatchStatus { chat_id, verified: chat_id.is_some(), play_id, requested: Some(*asked) }
    };
    Ok(asked.iter().map(status).collect())
}
