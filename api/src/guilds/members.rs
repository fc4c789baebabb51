//! GET /guilds/:guildId/members and /guilds/:guildId/verified-users: who is linked, by chat id.

use entities::{ChatId, PlayId, link};
use serde::Serialize;

use crate::call::Call;
use crate::fields::Field;
use crate::http::error::ApiError;
use crate::http::reply::Reply;
use crate::page::Page;

/// A guild's links in one list. The databases take no larger number.
const ALL: u64 = i64::MAX as u64;

#[derive(Serialize)]
struct Member {
    chat_id: ChatId,
    play_id: PlayId,
    play_username: String,
}

impl From<link::Model> for Member {
    fn from(link: link::Model) -> Self {
        Self { chat_id: link.chat_id, play_id: link.play_id, play_username: link.play_username }
    }
}

#[derive(Serialize)]
struct Members {
    members: Vec<Member>,
    total: u64,
    /// Only of a page: the interface shows none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[expect(clippy::option_option, reason = "absent without paging, null on the last page")]
    next_cursor: Option<Option<ChatId>>,
}

/// All of them, as the interface has it; with `limit` or `cursor` one page.
pub(crate) async fn members(call: Call) -> Result<Reply, ApiError> {
    if call.query.text("limit").is_none() && call.query.text("cursor").is_none() {
        let members = all(&call).await?;
        let total = members.len() as u64;
        return Reply::data(&Members { members, total, next_cursor: None });
    }
    let page = Page::<ChatId>::of(&call, &ChatId::allowed())?;
    let entities::Page { cursor: after, limit } = page.to_fetch();
    let mut links = link::range(call.read(), call.guild(), (after, None), limit).await?;
    let next_cursor = Some(page.cut(&mut links, |link| link.chat_id));
    let total = link::count(call.read(), call.guild()).await?;
    Reply::data(&Members { members: links.into_iter().map(Member::from).collect(), total, next_cursor })
}

pub(crate) async fn verified_users(call: Call) -> Result<Reply, ApiError> {
    Reply::data(&all(&call).await?)
}

async fn all(call: &Call) -> Result<Vec<Member>, ApiError> {
    let links = link::range(call.read(), call.guild(), (None, None), ALL).await?;
    Ok(links.into_iter().map(Member::from).collect())
}
