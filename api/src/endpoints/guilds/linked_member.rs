//! A guild's verified members, as lists return them.

use entities::{ChatId, PlayId, link};

use crate::endpoints::prelude::*;

/// Links of one guild. The databases accept no larger number.
const ALL: u64 = i64::MAX as u64;

#[derive(Serialize, ToSchema)]
pub(crate) struct LinkedMember {
    chat_id: ChatId,
    play_id: PlayId,
    #[schema(example = "Brickmason")]
    play_username: String,
}

impl From<link::Model> for LinkedMember {
    fn from(link: link::Model) -> Self {
        Self { chat_id: link.chat_id, play_id: link.play_id, play_username: link.play_username }
    }
}

/// All verified members, by chat id.
pub(crate) async fn all(call: &Call) -> Result<Vec<LinkedMember>, ApiError> {
    let links = link::range(call.read(), call.guild(), None, None, ALL).await?;
    Ok(links.into_iter().map(LinkedMember::from).collect())
}
