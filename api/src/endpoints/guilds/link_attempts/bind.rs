//! What an attempt leads to, by the rules of the guild (docs/rules.md 11): the link, a decision of staff, or a refusal.

use chrono::TimeDelta;
use entities::account::{self, Verdict, Way};
use entities::audit_entry::Actor;
use entities::link::Source;
use entities::link_attempt::{self, HELD_FOR, Model, Outcome};
use entities::{ChatId, Person, PlayId, SanctionKind, Timestamp, guild, link, sanction, shield_flag};
use jobs::linking::{Linking, NewLink};

use crate::endpoints::guilds::link_attempts::messages;
use crate::endpoints::guilds::link_attempts::record::LinkAttempt;
use crate::endpoints::guilds::links::record::room_for_link;
use crate::endpoints::prelude::*;

/// A proven game account.
pub(crate) struct Player {
    pub(crate) id: PlayId,
    pub(crate) name: String,
    /// When it was made; `None`: not needed, or unknown.
    pub(crate) made: Option<Timestamp>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct EndedAttempt {
    attempt: LinkAttempt,
    /// Why the member was not linked, or waits; null: linked.
    #[schema(required, example = "banned in this guild")]
    reason: Option<String>,
    /// What the guild tells members whom it has just linked; null: nothing, or by direct message.
    #[schema(required, example = "Welcome! Choose your roles in #roles.")]
    pub(crate) message: Option<String>,
}

/// When a game account was made, if the guild's rules ask for its age.
pub(crate) async fn made_at(
    call: &Call,
    rules: &guild::Model,
    player: PlayId,
) -> Result<Option<Timestamp>, ApiError> {
    if rules.link_min_play_days == 0 {
        return Ok(None);
    }
    let profile = call.state.platforms.play.profile(call.platform(), player).await?;
    Ok(Some(profile.ok_or_else(ApiError::unknown_player)?.created_at))
}

/// Links the member, or holds or ends the attempt. `actor`: who the audit log names.
pub(crate) async fn bind(
    call: &Call,
    work: &mut UnitOfWork<'_>,
    mut attempt: Model,
    player: Player,
    way: Way,
    actor: Actor,
) -> Result<EndedAttempt, ApiError> {
    attempt.way = Some(way);
    attempt.play_id = Some(player.id);
    attempt.play_username = Some(player.name.clone());
    let guild = guild::find(work.tx(), attempt.guild_id).await?.or_not_found("guild")?;
    // It may have been proven for another guild, or before the rules changed.
    if !guild.link_ways.0.contains(&way) {
        return Err(ApiError::rule(
            "way_off",
            "this guild does not take the way in which the account was proven",
        ));
    }
    let (verdict, reason) = judge(work, &guild, &attempt, &player).await?;
    match verdict {
        Verdict::Admit => admit(call, work, &mut attempt, player, way, actor).await?,
        Verdict::Hold => {
            attempt.state = link_attempt::State::Held;
            attempt.expires_at = work.now() + HELD_FOR;
            attempt.held_for.clone_from(&reason);
            work.audit_as(actor, "link_attempts.hold", attempt.chat_id, json!({ "reason": reason }));
        }
        Verdict::Refuse => {
            attempt.end(Outcome::Rejected, work.now());
            work.audit_as(actor, "link_attempts.refuse", attempt.chat_id, json!({ "reason": reason }));
        }
    }
    link_attempt::save(work.tx(), &attempt).await?;
    let message = guild.link_message.filter(|_| verdict == Verdict::Admit);
    Ok(EndedAttempt { attempt: LinkAttempt::from(&attempt), reason, message })
}

/// Links the member.
pub(crate) async fn admit(
    call: &Call,
    work: &mut UnitOfWork<'_>,
    attempt: &mut Model,
    player: Player,
    way: Way,
    actor: Actor,
) -> Result<(), ApiError> {
    let (chat, now) = (attempt.chat_id, work.now());
    room_for_link(call, chat, player.id).await?;
    let lost = if attempt.proves_everywhere() { prove(work, chat, &player, way).await? } else { None };
    let mut linking = Linking::begin(work, attempt.guild_id, actor).await?;
    let new = NewLink { chat, play: player.id, name: player.name, source: Source::Member };
    let linked = linking.link(new).await?;
    if let Some((loser, mut ended)) = lost {
        ended.extend(linked.ended.of_play.filter(|link| link.chat_id == loser.chat_id));
        messages::account_lost(work, attempt.guild_id, &loser, &ended).await?;
    }
    attempt.end(Outcome::Linked, now);
    Ok(())
}

/// Records a proof for the whole instance. Returns who had proven the account before, with the links that ended.
async fn prove(
    work: &mut UnitOfWork<'_>,
    chat: ChatId,
    player: &Player,
    way: Way,
) -> Result<Option<(account::Model, Vec<link::Model>)>, ApiError> {
    let now = work.now();
    let (play_id, play_username) = (player.id, player.name.clone());
    let proof = account::Model { chat_id: chat, play_id, play_username, way, proven_at: now };
    let loser = account::prove(work.tx(), proof).await?;
    // After the proof, which waits for an attempt that begins with the older one.
    link_attempt::end_older(work.tx(), play_id, chat, now).await?;
    let Some(loser) = loser else { return Ok(None) };
    let mut ended = Vec::new();
    for link in link::made_by_member(work.tx(), loser.chat_id, play_id).await? {
        let mut linking = Linking::begin(work, link.guild_id, Actor::service()).await?;
        if linking.unlink_found(&link).await?.is_some() {
            ended.push(link);
        }
    }
    Ok(Some((loser, ended)))
}

/// What the guild's rules say, and why.
async fn judge(
    work: &UnitOfWork<'_>,
    guild: &guild::Model,
    attempt: &Model,
    player: &Player,
) -> Result<(Verdict, Option<String>), ApiError> {
    let now = work.now();
    let too_young = |made: Timestamp, days: i32| days > 0 && now - made < TimeDelta::days(days.into());
    if attempt.chat_id.made_at().is_some_and(|made| too_young(made, guild.link_min_chat_days)) {
        let days = guild.link_min_chat_days;
        return Ok((Verdict::Refuse, Some(format!("the chat account is younger than {days} days"))));
    }
    if player.made.is_some_and(|made| too_young(made, guild.link_min_play_days)) {
        let days = guild.link_min_play_days;
        return Ok((Verdict::Refuse, Some(format!("the game account is younger than {days} days"))));
    }
    let person = Person { chat: Some(attempt.chat_id), play: Some(player.id) };
    let active = sanction::active::of_person(work.tx(), attempt.guild_id, person, now).await?;
    let is_banned = active.iter().any(|row| row.kind == SanctionKind::Ban && row.place_id.is_none());
    let is_flagged = !shield_flag::find_many(work.tx(), &[player.id]).await?.is_empty();
    // Of two that are as strict the last one is named.
    let found = [
        (is_flagged, guild.link_flagged, "flagged in Shield"),
        (is_banned, guild.link_banned, "banned in this guild"),
    ];
    let found = found.into_iter().filter(|(is, verdict, _)| *is && *verdict > Verdict::Admit);
    let strictest = found.max_by_key(|(_, verdict, _)| *verdict);
    Ok(strictest.map_or((Verdict::Admit, None), |(_, verdict, why)| (verdict, Some(why.to_owned()))))
}
