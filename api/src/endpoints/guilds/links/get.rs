//! GET /guilds/:guildId/links

use entities::{ChatId, link};

use crate::endpoints::guilds::links::record::Link;
use crate::endpoints::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct Links {
    links: Vec<Link>,
    /// Null on the last page.
    #[schema(required)]
    next_cursor: Option<ChatId>,
}

pub(crate) fn operation() -> Operation {
    Operation::new("listLinks", "Links, by chat id").paged::<ChatId>().data::<Links>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let page = call.page::<ChatId>()?;
    let rows = link::range(call.read(), call.guild(), page.cursor, None, page.limit + 1).await?;
    page.reply(rows, |row| row.chat_id, |links, next_cursor| Links { links, next_cursor })
}
