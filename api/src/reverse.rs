//! `POST /reverse` (docs/rules.md 8): the chat users of many game users.

use std::collections::HashMap;

use entities::{ChatId, PlayId, link};
use serde::Serialize;

use crate::call::Call;
use crate::fields::Field;
use crate::http::error::ApiError;
use crate::http::reply::Reply;
use crate::lookup::BATCH_MAX;

#[derive(Serialize)]
struct Found<'a> {
    play_id: PlayId,
    chat_id: ChatId,
    play_username: &'a str,
}

#[derive(Serialize)]
struct Results<'a> {
    results: Vec<Found<'a>>,
}

/// In the order asked for; who is not linked is left out.
pub(crate) async fn reverse(call: Call) -> Result<Reply, ApiError> {
    let Some(plays) = call.fields.list::<PlayId>("play_ids", BATCH_MAX)? else {
        return Err(ApiError::missing(
            "play_ids",
            &format!("an array of at most {BATCH_MAX} items, each {}", PlayId::allowed()),
        ));
    };
    let links = link::find_by_plays(call.read(), call.guild(), &plays).await?;
    let links: HashMap<_, _> = links.iter().map(|link| (link.play_id, link)).collect();
    let found = |play: &PlayId| {
        let link = links.get(play)?;
        Some(Found { play_id: *play, chat_id: link.chat_id, play_username: &link.play_username })
    };
    Reply::data(&Results { results: plays.iter().filter_map(found).collect() })
}
