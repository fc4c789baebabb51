//! A link as look-ups return it.

use entities::{ChatId, PlayId, link};

use crate::endpoints::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct LinkRecord {
    chat_id: ChatId,
    play_id: PlayId,
    #[schema(example = "Brickmason")]
    play_username: String,
    verified_at: Seconds,
}

pub(crate) fn reply(found: Option<link::Model>) -> Result<Reply, ApiError> {
    let link::Model { chat_id, play_id, play_username, verified_at, .. } =
        found.ok_or_else(ApiError::not_linked)?;
    Reply::data(&LinkRecord { chat_id, play_id, play_username, verified_at: Seconds(verified_at) })
}
