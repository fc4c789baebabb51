//! GET /lookup/chat/:chatId

use entities::{ChatId, link};

use crate::endpoints::lookup::link_record::{LinkRecord, reply};
use crate::endpoints::prelude::*;

pub(crate) fn operation() -> Operation {
    Operation::new("lookupChat", "The game account of a chat user")
        .guild_header()
        .data::<LinkRecord>()
        .refuses(404, &["not_linked"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let chat: ChatId = call.path("chatId")?;
    reply(link::find_by_chat(call.read(), call.guild(), chat).await?)
}
