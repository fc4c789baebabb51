//! POST /moderation/:guildId/bans/:banId/mirror (docs/rules.md 4): lets a held ban go to the chat platform, or
//! one whose job ended without the copy. The console calls it; a key needs `admin`, with which it could also raise the limit.

use entities::sanction::{MirrorState, Model, history};
use entities::{ChatId, Person, SanctionId, SanctionKind, moderation_revision};
use jobs::mirror::{enqueue_mirror, may_be_asked_for};

use crate::endpoints::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct AllowedMirror {
    id: SanctionId,
    mirror_state: MirrorState,
    /// The user who is banned there.
    mirror_chat_id: ChatId,
}

pub(crate) fn operation() -> Operation {
    Operation::new("allowBanMirror", "Have a held ban copied to the chat platform")
        .about("For a ban with the `mirror_state` `held`, or one whose job has ended without the copy.")
        .data::<AllowedMirror>()
        .message("the ban goes to the chat platform")
        .refuses(409, &["not_held", "no_chat_user"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let id: SanctionId = call.path("banId")?;
    let mut work = UnitOfWork::begin(&call).await?;
    // Serialises with bans, and with lifts of this one.
    let change = moderation_revision::begin(work.tx(), call.guild(), work.now()).await?;
    let ban = history::find(work.tx(), call.guild(), id).await?;
    let ban = ban.filter(|ban| ban.kind == SanctionKind::Ban).or_not_found("ban")?;
    if !may_be_asked_for(work.tx(), &ban, work.now()).await? {
        let message = "the copy of this ban is not held or left undone by its job, or the ban has ended";
        return Err(ApiError::conflict("not_held", message));
    }
    let Some(chat) = user(&work, &ban).await? else {
        return Err(ApiError::conflict("no_chat_user", "this player is no longer linked to a chat user"));
    };
    let ban = Model { mirror_chat_id: Some(chat), ..ban };
    enqueue_mirror(&mut work, &change, &[(call.actor(), vec![ban])]).await?;
    work.audit("moderation.mirror_allowed", chat, json!({ "id": id }));
    let allowed = AllowedMirror { id, mirror_state: MirrorState::Pending, mirror_chat_id: chat };
    work.commit(Reply::data(&allowed)?.with_message("the ban goes to the chat platform")).await
}

/// The one whom an earlier job was to ban, or else the linked one.
async fn user(work: &UnitOfWork<'_>, ban: &Model) -> Result<Option<ChatId>, ApiError> {
    if ban.mirror_chat_id.is_some() {
        return Ok(ban.mirror_chat_id);
    }
    let Some(subject) = ban.subject() else { return Err(ApiError::internal("a ban without a subject")) };
    Ok(Person::resolve(work.tx(), ban.guild_id, subject).await?.chat)
}
