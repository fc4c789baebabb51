//! A link as the endpoints of links show it (docs/rules.md 11), and the room for one.

use entities::link::{self, Model, Source};
use entities::{ChatId, PlayId};

use crate::endpoints::prelude::*;

answer! {
    /// Both accounts of one person in this guild.
    pub(crate) struct Link from row: Model {
        pub(crate) chat_id: ChatId,
        play_id: PlayId,
        #[schema(example = "Brickmason")]
        play_username: String,
        verified_at: Seconds,
        source: Source,
    }
}

/// 422 if the guild may not have a further link. One that either account has already makes room for it.
pub(crate) async fn room_for_link(call: &Call, chat: ChatId, play: PlayId) -> Result<(), ApiError> {
    let (conn, guild) = (call.read(), call.guild());
    if link::find_by_chat(conn, guild, chat).await?.is_some()
        || link::find_by_play(conn, guild, play).await?.is_some()
    {
        return Ok(());
    }
    call.room_for(conn, Cap::Links, 1).await
}
