//! POST /guilds/:guildId/link-attempts

use entities::account::{self, Way};
use entities::link_attempt::{self, NewAttempt, State};
use entities::{AttemptId, ChatId, guild};
use platforms::PlatformError;

use crate::endpoints::guilds::link_attempts::code;
use crate::endpoints::guilds::link_attempts::record::{BegunAttempt, LinkAttempt};
use crate::endpoints::prelude::*;

request! {
    pub(crate) struct LinkAttemptRequest {
        /// The chat user who wants to link.
        chat_id: ChatId,
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("beginLinkAttempt", "Begin an attempt to link, for a member who asked")
        .about(
            "For bots and other front ends of the guild. Show the code and the words to this member only: whoever proves a game \
             account with them sees the member's name before anything is linked. An attempt lives 15 minutes; a new one of \
             the same member ends it.",
        )
        .body::<LinkAttemptRequest>()
        .data::<BegunAttempt>()
        .message("attempt begun")
        .refuses(404, &["not_a_member"])
        .refuses(422, &["linking_off", "too_many"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let LinkAttemptRequest { chat_id: chat } = call.body()?;
    call.caller.acts_for(chat, people::Needs::Permission("links.write"))?;
    let rules = guild::find(call.read(), call.guild()).await?.or_not_found("guild")?;
    if rules.link_ways.0.is_empty() {
        return Err(ApiError::rule("linking_off", "members of this guild do not link themselves"));
    }
    // An earlier one gives way, also one that waits no longer.
    if !link_attempt::has_unfinished(call.read(), call.guild(), chat).await? {
        call.room_for(call.read(), Cap::LinkAttempts, 1).await?;
    }
    let chat_name = name_of(&call, chat).await?;
    let (typed, words) = (code::code(), code::words());
    let mut work = UnitOfWork::begin(&call).await?;
    let new = NewAttempt {
        id: AttemptId(uuid::Uuid::now_v7()),
        guild: call.guild(),
        chat,
        chat_name,
        code_hash: code::hash(&typed),
        words: words.clone(),
    };
    let mut attempt = link_attempt::begin(work.tx(), new, work.now()).await?;
    // What the member has proven is for the member's own eyes.
    if call.caller.key().is_none()
        && call.caller.user() == chat
        && let Some(known) = account::find_for_update(work.tx(), chat).await?
        && rules.link_ways.0.contains(&known.way)
    {
        attempt.state = State::Proven;
        attempt.way = Some(known.way);
        attempt.trusted = known.way == Way::Code;
        attempt.play_id = Some(known.play_id);
        attempt.play_username = Some(known.play_username);
        link_attempt::save(work.tx(), &attempt).await?;
    }
    work.audit("link_attempts.begin", chat, json!({}));
    let data = BegunAttempt { attempt: LinkAttempt::from(&attempt), code: typed, words };
    work.commit(Reply::data(&data)?.with_message("attempt begun")).await
}

/// The member's name on the chat platform.
async fn name_of(call: &Call, chat: ChatId) -> Result<String, ApiError> {
    // The platform answers some calls a second in a guild; when staff post a button, far more members press it.
    if let Some(name) = call.caller.name_of_member(chat) {
        return Ok(name.to_owned());
    }
    match call.state.platforms.chat.known_user(call.platform(), chat).await {
        Ok(Some(known)) if known.is_member => Ok(known.user.name),
        Ok(_) => Err(ApiError::not_a_member()),
        // Without a bot nobody can tell.
        Err(PlatformError::NotConfigured(_)) => Ok(chat.to_string()),
        Err(error) => Err(error.into()),
    }
}
