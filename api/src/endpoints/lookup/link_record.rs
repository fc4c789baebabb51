//! A link as look-ups return it.

use entities::{ChatId, PlayId, link};

use crate::endpoints::prelude::*;

answer! {
    pub(crate) struct LinkRecord from row: link::Model {
        chat_id: ChatId,
        play_id: PlayId,
        #[schema(example = "Brickmason")]
        play_username: String,
        verified_at: Seconds,
    }
}

pub(crate) fn reply(found: Option<link::Model>) -> Result<Reply, ApiError> {
    Reply::data(&LinkRecord::from(found.ok_or_else(ApiError::not_linked)?))
}
