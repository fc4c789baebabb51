//! What people are told about their links by direct message (docs/rules.md 11).

use entities::audit_entry::Actor;
use entities::link_attempt::{Model, Outcome};
use entities::{ChatId, GuildId, account, guild, link};
use jobs::direct_message::DirectMessage;

use crate::endpoints::prelude::*;

/// Guilds that one message names.
const NAMED: usize = 10;

/// Somebody else has proven the game account of `loser`, whose links `ended`.
pub(crate) async fn account_lost(
    work: &mut UnitOfWork<'_>,
    guild: GuildId,
    loser: &account::Model,
    ended: &[link::Model],
) -> Result<(), ApiError> {
    let guilds: Vec<_> = ended.iter().take(NAMED).map(|link| link.guild_id).collect();
    let names = guild::names(work.tx(), guilds.clone()).await?;
    let mut listed: Vec<_> = guilds.iter().filter_map(|guild| names.get(guild).cloned()).collect();
    if ended.len() > NAMED {
        listed.push(format!("and {} more", ended.len() - NAMED));
    }
    let unlinked = if listed.is_empty() {
        ".".to_owned()
    } else {
        format!(", so it is no longer linked to yours in: {}.", listed.join(", "))
    };
    let text = format!(
        "Your Roblox account {} was proven by another Discord account{unlinked} If this was not you, secure your Roblox \
         account and link it again.",
        loser.play_username
    );
    send(work, guild, loser.chat_id, text, Actor::service()).await
}

/// A code in a game has linked the member. `message`: the guild's own text.
pub(crate) async fn linked(
    work: &mut UnitOfWork<'_>,
    guild: &guild::Model,
    message: &str,
    (chat, player): (ChatId, &str),
    actor: Actor,
) -> Result<(), ApiError> {
    let text = format!("You have linked the Roblox account {player} in {}.\n\n{message}", guild.name);
    send(work, guild.guild_id, chat, text, actor).await
}

/// Staff have decided about an attempt that was held. `decision`: approved or rejected.
pub(crate) async fn decided(
    work: &mut UnitOfWork<'_>,
    attempt: &Model,
    actor: Actor,
) -> Result<(), ApiError> {
    let guild = guild::find(work.tx(), attempt.guild_id).await?.or_not_found("guild")?;
    let is_linked = attempt.outcome == Some(Outcome::Linked);
    let decision = if is_linked { "approved" } else { "rejected" };
    let player = attempt.play_username.as_deref().unwrap_or_default();
    let mut text =
        format!("Staff of {} have {decision} your link with the Roblox account {player}.", guild.name);
    if let Some(message) = guild.link_message.as_ref().filter(|_| is_linked) {
        text = format!("{text}\n\n{message}");
    }
    send(work, guild.guild_id, attempt.chat_id, text, actor).await
}

async fn send(
    work: &mut UnitOfWork<'_>,
    guild: GuildId,
    to: ChatId,
    text: String,
    actor: Actor,
) -> Result<(), ApiError> {
    Ok(DirectMessage { guild, to, text, to_members: false }.enqueue(work, actor).await?)
}
