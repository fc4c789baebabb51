//! A guild's verified members, as lists return them.

use entities::{ChatId, PlayId, link};

use crate::endpoints::prelude::*;

/// Links of one guild. The databases accept no larger number.
const ALL: u64 = i64::MAX as u64;

answer! {
    pub(crate) struct LinkedMember from link: link::Model {
        chat_id: ChatId,
        play_id: PlayId,
        #[schema(example = "Brickmason")]
        play_username: String,
    }
}

/// All verified members, by chat id.
pub(crate) async fn all(call: &Call) -> Result<Vec<LinkedMember>, ApiError> {
    let links = link::range(call.read(), call.guild(), None, None, ALL).await?;
    Ok(links.into_iter().map(LinkedMember::from).collect())
}
