//! Which bans the chat platform is to have too (docs/rules.md 4).

use entities::moderation_revision::Change;
use entities::{ChatId, Person, guild, sanction};
use queue::enqueue_mirror;
use sea_orm::DatabaseTransaction;

use super::moderator;
use crate::call::Call;
use crate::http::error::ApiError;

/// The chat user to ban on the platform: known directly or by link, for a ban of every game, where the guild's setting
/// is on.
pub(super) async fn user(
    transaction: &DatabaseTransaction,
    ban: &sanction::Model,
    person: Person,
) -> Result<Option<ChatId>, ApiError> {
    let Some(chat) = person.chat.filter(|_| ban.place_id.is_none()) else { return Ok(None) };
    let settings = guild::find(transaction, ban.guild_id).await?;
    Ok(settings.is_some_and(|guild| guild.mirror_bans).then_some(chat))
}

/// Jobs for the users these bans are, or were, mirrored on. To be published after the commit.
pub(super) async fn enqueue(
    call: &Call,
    transaction: &DatabaseTransaction,
    change: &Change,
    (bans, by): (&[sanction::Model], ChatId),
) -> Result<Vec<entities::job::Ticket>, ApiError> {
    Ok(enqueue_mirror(transaction, change, bans, &moderator(call, by)).await?)
}
