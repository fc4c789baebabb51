//! GET /guilds/:guildId/members

use std::sync::Arc;

use entities::{ChatId, link};

use crate::endpoints::guilds::linked_member::{LinkedMember, all};
use crate::endpoints::prelude::*;
use crate::response::ready::Ready;

#[derive(Serialize, ToSchema)]
pub(crate) struct LinkedMembers {
    members: Vec<LinkedMember>,
    /// Members in the whole list, not in the page.
    #[schema(example = 1)]
    total: u64,
    /// Only of a page; null on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<ChatId>)]
    #[expect(clippy::option_option, reason = "absent without paging, null on the last page")]
    next_cursor: Option<Option<ChatId>>,
}

pub(crate) fn operation() -> Operation {
    Operation::new("listMembers", "Verified members")
        .about("All of them, by chat id; with `limit` or `cursor` one page.")
        .paged_if_asked::<ChatId>()
        .data::<LinkedMembers>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    if call.query.text("limit").is_none() && call.query.text("cursor").is_none() {
        let read = async {
            let members = all(&call).await?;
            let total = members.len() as u64;
            let body = Reply::data(&LinkedMembers { members, total, next_cursor: None })?.render()?;
            Ok::<_, ApiError>(Arc::new(Ready::new(body, None, None)))
        };
        return Ok(Reply::ready(call.state.caches.members.get_or_load(call.guild(), (), read).await?));
    }
    let page = call.page::<ChatId>()?;
    let entities::Page { cursor: after, limit } = page.to_fetch();
    let links = link::range(call.read(), call.guild(), after, None, limit).await?;
    let total = link::count(call.read(), call.guild()).await?;
    let data = |members, next| LinkedMembers { members, total, next_cursor: Some(next) };
    page.reply(links, |link| link.chat_id, data)
}
