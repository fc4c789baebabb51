//! PUT /guilds/:guildId/links/:chatId

use entities::link::Source;
use entities::{ChatId, JobId, PlayId, link};
use jobs::linking::{Linked, Linking, NewLink, Replaced};

use crate::endpoints::guilds::links::record::{Link, room_for_link};
use crate::endpoints::prelude::*;

request! {
    pub(crate) struct LinkRequest {
        play_id: PlayId,
        /// The name of the game account; absent: the game platform is asked.
        #[example("Brickmason")]
        play_username: Option<Text>,
        /// Ends a link of either account to another one. Without it such a link is a conflict.
        replace: Option<bool>,
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct MadeLink {
    link: Link,
    /// The links that it replaced.
    ended: Vec<Link>,
    /// The job that gives the member the roles and the nickname of the link; null if the link was like that already.
    #[schema(required)]
    job_id: Option<JobId>,
}

pub(crate) fn operation() -> Operation {
    Operation::new("putLink", "Link a chat user and a game account")
        .about(
            "The member is then synced by a job. A link is one to one: `replace` moves a game account from another chat \
             user, whose roles and nickname are taken away, or gives the chat user another game account.",
        )
        .body::<LinkRequest>()
        .data::<MadeLink>()
        .message("linked")
        .refuses(404, &["unknown_player"])
        .refuses(409, &["chat_linked", "play_linked"])
        .refuses(422, &["too_many"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let chat: ChatId = call.path("chatId")?;
    call.caller.decides_about(chat)?;
    let LinkRequest { play_id: play, play_username, replace } = call.body()?;
    let source = if call.caller.key().is_some() { Source::Api } else { Source::Staff };
    let name = match play_username {
        Some(Text(name)) => name,
        None => name_of(&call, play).await?,
    };
    room_for_link(&call, chat, play).await?;
    let mut work = UnitOfWork::begin(&call).await?;
    let mut linking = Linking::begin(&mut work, call.guild(), call.actor()).await?;
    let Linked { link, ended, sync } = linking.link(NewLink { chat, play, name, source }).await?;
    if replace != Some(true) {
        refuse(&ended)?;
    }
    let Replaced { of_chat, of_play } = ended;
    let ended = of_chat.iter().chain(&of_play).map(Link::from).collect();
    let message = if sync.is_some() { "linked" } else { "nothing to change: they are linked already" };
    let data = MadeLink { link: Link::from(&link), ended, job_id: sync };
    work.commit(Reply::data(&data)?.with_message(message)).await
}

/// The present name, or that of the link.
async fn name_of(call: &Call, play: PlayId) -> Result<String, ApiError> {
    if let Some(link) = link::find_by_play(call.read(), call.guild(), play).await? {
        return Ok(link.play_username);
    }
    let mut names = call.state.platforms.play.usernames(call.platform(), &[play]).await?;
    names.remove(&play).ok_or_else(ApiError::unknown_player)
}

/// Without a commit nothing has changed.
fn refuse(found: &Replaced) -> Result<(), ApiError> {
    if let Some(other) = &found.of_play {
        let message = format!("`play_id` is linked to the chat user {}: `replace` moves it", other.chat_id);
        return Err(ApiError::conflict("play_linked", message));
    }
    match &found.of_chat {
        Some(other) => {
            let message = format!(
                "the chat user is linked to the game account {}: `replace` ends that link",
                other.play_id
            );
            Err(ApiError::conflict("chat_linked", message))
        }
        None => Ok(()),
    }
}
