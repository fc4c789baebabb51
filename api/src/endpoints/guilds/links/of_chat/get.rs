//! GET /guilds/:guildId/links/:chatId

use entities::link_history::{self, Ended};
use entities::{ChatId, PlayId, link};

use crate::endpoints::guilds::links::record::Link;
use crate::endpoints::prelude::*;

/// Ended links in an answer.
const HISTORY_MAX: u64 = 100;

answer! {
    /// A link that has ended.
    pub(crate) struct EndedLink from row: Ended {
        chat_id: ChatId = row.chat,
        play_id: PlayId = row.play,
        /// The game account's name at the end.
        #[schema(example = "Brickmason")]
        play_username: String = row.name.clone(),
        verified_at: Seconds = row.since.into(),
        ended_at: Seconds = row.until.into(),
        /// Another link took its place.
        replaced: bool,
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct LinkOfMember {
    /// Null: not linked.
    #[schema(required)]
    link: Option<Link>,
    /// Ended links of the chat account, and of the game account that it is linked to; the latest first, at most 100.
    history: Vec<EndedLink>,
}

pub(crate) fn operation() -> Operation {
    Operation::new("getLink", "The link of a chat user, and earlier ones")
        .about("Earlier links are read from the audit log, as long as it keeps them.")
        .data::<LinkOfMember>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let chat: ChatId = call.path("chatId")?;
    let (conn, guild) = (call.read(), call.guild());
    let link = link::find_by_chat(conn, guild, chat).await?;
    let play = link.as_ref().map(|link| link.play_id);
    let history = link_history::of_person(conn, guild, chat, play, HISTORY_MAX).await?;
    let history = history.iter().map(EndedLink::from).collect();
    Reply::data(&LinkOfMember { link: link.as_ref().map(Link::from), history })
}
