//! GET /guilds/:guildId/verified-users
//!
//! The list itself is the data, without a cursor: the header `Link` of a page names the next one.

use entities::{ChatId, link};

use crate::cache::caches::MemberList;
use crate::endpoints::guilds::linked_member::{LinkedMember, all};
use crate::endpoints::prelude::*;

pub(crate) fn operation() -> Operation {
    Operation::new("listVerifiedUsers", "Verified members as a plain list")
        .about("All of them, by chat id; with `limit` or `cursor` one page.")
        .paged_if_asked::<ChatId>()
        .data_list::<LinkedMember>()
        .etag()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let Some(page) = call.page_if_asked::<ChatId>()? else {
        return all(&call, MemberList::VerifiedUsers).await;
    };
    let entities::Page { cursor: after, limit } = page.to_fetch();
    let links = link::range(call.read(), call.guild(), after, None, limit).await?;
    page.reply(links, |link| link.chat_id, |members: Vec<LinkedMember>, _| members)
}
