//! Imposing and lifting bans and mutes. One transaction: the rows, the moderator's staff action, the audit entry, the
//! job that mirrors a ban or lifts its mirror.

use std::borrow::Cow;
use std::time::Duration;

use entities::moderation_revision::{self, Change};
use entities::sanction::change::{self, Created, NewSanction, Target};
use entities::sanction::{self, active, expiry};
use entities::staff_action::{ActionType, NewAction};
use entities::{
    ChatId, Lifted, Person, PlaceId, SanctionId, SanctionKind, Subject, Timestamp, approval, guild,
};
use queue::enqueue_mirror;
use runtime::{Event, ModerationVerb, Transaction};
use serde_json::Value;

use crate::endpoints::prelude::*;
use crate::openapi::shape::{self, Shape};
use crate::request::parts::Field;
use crate::response::rows::whole_second_from;

request! {
    pub(crate) struct SanctionRequest {
        identifier: Subject,
        reason: Text,
        moderator_id: ChatId,
        /// Null or absent: for ever.
        duration_seconds: Option<DurationSeconds>,
        /// Null or absent: every game of the guild.
        place_id: Option<PlaceId>,
    }
}

request! {
    pub(crate) struct LiftRequest {
        identifier: Subject,
        moderator_id: ChatId,
        #[example("appeal accepted")]
        reason: Option<Text>,
        /// Null or absent: those of every place.
        place_id: Option<PlaceId>,
        /// Only the one with this id. Null or absent: all that the other fields name.
        id: Option<SanctionId>,
    }
}

pub(crate) struct Imposed {
    pub(crate) id: SanctionId,
    pub(crate) expires_at: Option<Seconds>,
    /// Of the guild's moderation after this change.
    pub(crate) revision: i64,
}

pub(crate) struct LiftedSanctions {
    pub(crate) ids: Vec<SanctionId>,
    /// Another sanction still holds there, where a place or one sanction was named.
    pub(crate) still: bool,
}

pub(crate) async fn impose<D: Serialize>(
    call: &Call,
    kind: SanctionKind,
    data: impl FnOnce(Imposed) -> D,
) -> Result<Reply, ApiError> {
    let SanctionRequest { identifier, reason: Text(reason), moderator_id, duration_seconds, place_id } =
        call.body()?;
    call.room_for(call.read(), Cap::Sanctions, 1).await?;
    let mut work = UnitOfWork::begin(call).await?;
    let now = work.now();
    let expires_at = duration_seconds.map(|duration| duration.end(now));
    let change = moderation_revision::begin(work.tx(), call.guild(), now).await?;
    let person = Person::resolve(work.tx(), call.guild(), identifier).await?;
    let new = NewSanction {
        kind,
        subject: identifier,
        place: place_id,
        reason: reason.clone(),
        moderator: moderator_id,
        created_at: now,
        expires_at,
    };
    let Created { sanction: mut imposed, closed } = change::create(work.tx(), &change, new).await?;
    let (id, expires_at) = (imposed.sanction_id, expires_at.map(Seconds));
    let superseded: Vec<_> = closed.iter().map(|row| row.sanction_id).collect();
    imposed.mirror_chat_id = mirror_user(work.tx(), &imposed, person).await?;
    let changed: Vec<_> = closed.into_iter().chain([imposed]).collect();
    let verb = ModerationVerb::begin_of(kind);
    let details = json!({ "id": id, "reason": reason, "place_id": place_id, "expires_at": expires_at,
                          "superseded": superseded });
    let act = StaffAct { verb, moderator: moderator_id, target: identifier, details };
    record(call, &mut work, &change, &changed, act).await?;
    if let Some(event) = Event::moderation(&change, verb, person, &reason, place_id) {
        work.announce(event);
    }
    let data = data(Imposed { id, expires_at, revision: change.revision });
    let message = match kind {
        SanctionKind::Ban => "user banned",
        SanctionKind::Mute => "user muted",
    };
    work.commit(Reply::data(&data)?.with_message(message)).await
}

pub(crate) async fn lift<D: Serialize>(
    call: &Call,
    kind: SanctionKind,
    data: impl FnOnce(LiftedSanctions) -> D,
) -> Result<Reply, ApiError> {
    let LiftRequest { identifier, moderator_id, reason, place_id, id } = call.body()?;
    let reason = reason.map(|text| text.0);
    let mut work = UnitOfWork::begin(call).await?;
    let change = moderation_revision::begin(work.tx(), call.guild(), work.now()).await?;
    let person = Person::resolve(work.tx(), call.guild(), identifier).await?;
    let mut target = Target { kind, person, place: place_id };
    let closed = match id {
        Some(id) => change::lift_one(work.tx(), &change, target, id, moderator_id).await?,
        None => change::lift(work.tx(), &change, target, moderator_id).await?,
    };
    if id.is_some() {
        target.place = closed.first().map_or(place_id, |row| row.place_id);
    }
    let lifted = closed.iter().filter(|row| row.lifted_how == Some(Lifted::Lifted));
    let ids: Vec<_> = lifted.map(|row| row.sanction_id).collect();
    let left = active::remaining(work.tx(), call.guild(), target, work.now()).await?;
    let message = lift_message(kind, ids.is_empty(), left.is_some());
    let data = data(LiftedSanctions { ids: ids.clone(), still: left.is_some() });
    let answer = Reply::data(&data)?.with_message(message);
    if ids.is_empty() {
        // Rows that had expired are left to the sweep.
        return Ok(answer);
    }
    let details = json!({ "lifted": ids, "reason": reason, "place_id": target.place });
    let verb = ModerationVerb::end_of(kind);
    let act = StaffAct { verb, moderator: moderator_id, target: identifier, details };
    record(call, &mut work, &change, &closed, act).await?;
    announce_lift(&mut work, &change, target, reason.as_deref().unwrap_or_default()).await?;
    work.commit(answer).await
}

/// What is in force after a lift: a sanction that still covers the target, or else the end of the lifted ones. Sanctions
/// of single places outlast the lift of one for every game, and are announced after it.
async fn announce_lift(
    work: &mut UnitOfWork<'_>,
    change: &Change,
    target: Target,
    reason: &str,
) -> Result<(), ApiError> {
    let (begin, end) = (ModerationVerb::begin_of(target.kind), ModerationVerb::end_of(target.kind));
    let mut left = active::of_person(work.tx(), change.guild, target.person, work.now()).await?;
    left.retain(|row| row.kind == target.kind);
    let covering = left.iter().find(|row| row.place_id.is_none() || row.place_id == target.place);
    let event = match covering {
        Some(row) => Event::moderation(change, begin, target.person, &row.reason, row.place_id),
        None => Event::moderation(change, end, target.person, reason, target.place),
    };
    let narrower = left.iter().filter(|_| covering.is_none() && target.place.is_none());
    let narrower =
        narrower.filter_map(|row| Event::moderation(change, begin, target.person, &row.reason, row.place_id));
    for event in event.into_iter().chain(narrower) {
        work.announce(event);
    }
    Ok(())
}

fn lift_message(kind: SanctionKind, nothing_lifted: bool, still: bool) -> String {
    let (one, done) = match kind {
        SanctionKind::Ban => ("ban", "unbanned"),
        SanctionKind::Mute => ("mute", "unmuted"),
    };
    match (nothing_lifted, still) {
        (true, false) => format!("there was no active {one}"),
        (true, true) => {
            format!("there was no such active {one}; another {one} is still in force there")
        }
        (false, true) => {
            format!("the {one} is lifted; another {one} is still in force there")
        }
        (false, false) => format!("user {done}"),
    }
}

/// What a moderator did to whom.
struct StaffAct {
    verb: ModerationVerb,
    moderator: ChatId,
    target: Subject,
    details: Value,
}

/// What goes with the changed rows: audit entries of those that had expired, mirror jobs, and the staff action and the
/// audit entry of the moderator.
async fn record(
    call: &Call,
    work: &mut UnitOfWork<'_>,
    change: &Change,
    rows: &[sanction::Model],
    act: StaffAct,
) -> Result<(), ApiError> {
    let (action_type, action) = match act.verb {
        ModerationVerb::Ban => (ActionType::Ban, "moderation.ban"),
        ModerationVerb::Unban => (ActionType::Unban, "moderation.unban"),
        ModerationVerb::Mute => (ActionType::Mute, "moderation.mute"),
        ModerationVerb::Unmute => (ActionType::Unmute, "moderation.unmute"),
    };
    let moderator = call.acting(act.moderator);
    expiry::note(work.tx(), rows, change.now).await?;
    work.publish(enqueue_mirror(work.tx(), change, rows, &moderator).await?);
    let done = NewAction {
        guild: call.guild(),
        staff: act.moderator,
        action_type,
        target: act.target.to_string(),
        details: act.details.clone(),
        session: None,
    };
    approval::record(work.tx(), done, change.now).await?;
    work.audit_as(moderator, action, act.target, act.details);
    Ok(())
}

/// The chat user to ban on the chat platform for a ban of every game (docs/rules.md 4): known directly or by a link, if
/// the guild's setting is on.
async fn mirror_user(
    transaction: &Transaction,
    row: &sanction::Model,
    person: Person,
) -> Result<Option<ChatId>, ApiError> {
    let mirrored = row.kind == SanctionKind::Ban && row.place_id.is_none();
    let Some(chat) = person.chat.filter(|_| mirrored) else { return Ok(None) };
    let settings = guild::find(transaction, row.guild_id).await?;
    Ok(settings.is_some_and(|guild| guild.mirror_bans).then_some(chat))
}

/// Duration of a ban or mute, in seconds: at most 100 years (docs/rules.md 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DurationSeconds(i64);

const LONGEST: i64 = 3_153_600_000;

impl DurationSeconds {
    /// Ends on a whole second, the precision of responses, and never early (docs/rules.md 8).
    fn end(self, from: Timestamp) -> Timestamp {
        whole_second_from(from) + Duration::from_secs(self.0.unsigned_abs())
    }
}

impl Field for DurationSeconds {
    fn allowed() -> Cow<'static, str> {
        format!("an integer from 1 to {LONGEST}, or null for ever").into()
    }

    fn read(sent: &Value) -> Option<Self> {
        sent.as_i64().filter(|seconds| (1..=LONGEST).contains(seconds)).map(Self)
    }

    fn shape() -> Shape {
        shape::whole(1, LONGEST, 86_400)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sanction_lasts_from_a_second_to_a_hundred_years() {
        for fine in [1, 60, LONGEST] {
            assert_eq!(DurationSeconds::read(&json!(fine)), Some(DurationSeconds(fine)));
        }
        for bad in [json!(0), json!(-1), json!(1.5), json!("60"), json!(LONGEST + 1), json!(true)] {
            assert_eq!(DurationSeconds::read(&bad), None, "{bad}");
        }
    }

    #[test]
    fn an_end_is_a_whole_second_and_never_early() {
        let from: Timestamp = "2026-11-20T12:00:00.987654Z".parse().unwrap();
        assert_eq!(DurationSeconds(5).end(from), "2026-11-20T12:00:06Z".parse::<Timestamp>().unwrap());
        let whole: Timestamp = "2026-11-20T12:00:00Z".parse().unwrap();
        assert_eq!(DurationSeconds(5).end(whole), "2026-11-20T12:00:05Z".parse::<Timestamp>().unwrap());
        let century: Timestamp = "2126-10-27T12:00:01Z".parse().unwrap();
        assert_eq!(DurationSeconds(LONGEST).end(from), century);
    }
}
