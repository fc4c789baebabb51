//! GET /guilds/:guildId/members

use entities::{ChatId, link};

use crate::cache::caches::MemberList;
use crate::endpoints::guilds::linked_member::{LinkedMembers, all};
use crate::endpoints::prelude::*;

pub(crate) fn operation() -> Operation {
    Operation::new("listMembers", "Verified members")
        .about("All of them, by chat id; with `limit` or `cursor` one page.")
        .paged_if_asked::<ChatId>()
        .data::<LinkedMembers>()
        .etag()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let Some(page) = call.page_if_asked::<ChatId>()? else {
        return all(&call, MemberList::Members).await;
    };
    let entities::Page { cursor: after, limit } = page.to_fetch();
    let links = link::range(call.read(), call.guild(), after, None, limit).await?;
    let total = link::count(call.read(), call.guild()).await?;
    let data = |members, next| LinkedMembers { members, total, next_cursor: Some(next) };
    page.reply(links, |link| link.chat_id, data)
}
