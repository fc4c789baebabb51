//! A link as look-ups return it.

use std::sync::Arc;

use entities::{ChatId, PlayId, Subject, link};

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

/// The answer about an account.
pub(crate) async fn look_up(call: &Call, account: Subject) -> Result<Reply, ApiError> {
    let (conn, guild) = (call.read(), call.guild());
    let read = || async {
        let link = match account {
            Subject::Chat(chat) => link::find_by_chat(conn, guild, chat).await?,
            Subject::Play(play) => link::find_by_play(conn, guild, play).await?,
        };
        Ok::<_, ApiError>(link.map(Arc::new))
    };
    let found = call.state.caches.links.get_or_load(guild, account, read).await?;
    Reply::data(&LinkRecord::from(&*found.ok_or_else(ApiError::not_linked)?))
}
