//! A guild's verified members, as lists return them.

use entities::{ChatId, Conn, GuildId, PlayId, link};
use sea_orm::DbErr;

use crate::cache::caches::MemberList;
use crate::endpoints::prelude::*;
use crate::endpoints::whole_list::{self, Frame, WholeList};

answer! {
    pub(crate) struct LinkedMember from link: link::Model {
        chat_id: ChatId,
        play_id: PlayId,
        #[schema(example = "Brickmason")]
        play_username: String,
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct LinkedMembers {
    pub(crate) members: Vec<LinkedMember>,
    /// Members in the whole list, not in the page.
    #[schema(example = 1)]
    pub(crate) total: u64,
    /// Present only in a page; null on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<ChatId>)]
    #[expect(clippy::option_option, reason = "absent without paging, null on the last page")]
    pub(crate) next_cursor: Option<Option<ChatId>>,
}

/// All verified members, by chat id.
struct AllMembers {
    guild: GuildId,
    list: MemberList,
    last: Option<ChatId>,
    total: u64,
}

impl WholeList for AllMembers {
    type Row = LinkedMember;

    async fn next(&mut self, conn: &impl Conn, limit: u64) -> Result<Vec<LinkedMember>, DbErr> {
        let links = link::range(conn, self.guild, self.last, None, limit).await?;
        self.last = links.last().map(|link| link.chat_id).or(self.last);
        self.total += links.len() as u64;
        Ok(links.into_iter().map(LinkedMember::from).collect())
    }

    fn frame(&self) -> Result<Frame, ApiError> {
        let members = Vec::<LinkedMember>::new();
        let reply = match self.list {
            MemberList::Members => {
                Reply::data(&LinkedMembers { members, total: self.total, next_cursor: None })
            }
            MemberList::VerifiedUsers => Reply::data(&members),
        };
        Ok(Frame { reply: reply?, etag: None, until: None })
    }
}

/// Renders one of the two whole lists.
pub(crate) async fn all(call: &Call, list: MemberList) -> Result<Reply, ApiError> {
    let (lists, guild) = (&call.state.caches.members, call.guild());
    if call.head && lists.get(guild, list, &call.state.context.clock).is_none() {
        return Ok(Reply::head(None));
    }
    whole_list::reply(call, lists, list, || AllMembers { guild, list, last: None, total: 0 }).await
}
