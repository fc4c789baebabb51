//! GET /lookup/chat/:chatId

use entities::{ChatId, Subject};

use crate::endpoints::lookup::link_record::{LinkRecord, look_up};
use crate::endpoints::prelude::*;

pub(crate) fn operation() -> Operation {
    Operation::new("lookupChat", "The game account of a chat user")
        .guild_header()
        .data::<LinkRecord>()
        .refuses(404, &["not_linked"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let chat: ChatId = call.path("chatId")?;
    look_up(&call, Subject::Chat(chat)).await
}
