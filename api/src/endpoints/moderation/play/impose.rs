//! Imposing a ban or mute. One transaction: the row, the rows it replaces, the moderator's staff action, the audit
//! entry, the job that mirrors a ban.

use std::borrow::Cow;
use std::time::Duration;

use entities::sanction::change::{self, Created, NewSanction};
use entities::sanction::{self, expiry};
use entities::{
    ChatId, Person, PlaceId, SanctionId, SanctionKind, Subject, Timestamp, guild, moderation_revision,
};
use queue::enqueue_mirror;
use runtime::{Event, ModerationChange, ModerationVerb};
use sea_orm::DatabaseTransaction;
use serde_json::Value;

use crate::endpoints::moderation::play::staff_act::{StaffAct, moderator, record};
use crate::endpoints::prelude::*;
use crate::openapi::shape::{self, Shape};
use crate::request::field::Field;
use crate::request::values::Text;
use crate::response::seconds::whole_second_from;

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

pub(crate) struct Imposed {
    pub(crate) id: SanctionId,
    pub(crate) expires_at: Option<Seconds>,
    /// Of the guild's moderation after this change.
    pub(crate) revision: i64,
}

pub(crate) async fn impose(
    call: &Call,
    kind: SanctionKind,
    reply: impl FnOnce(Imposed) -> Result<Reply, ApiError>,
) -> Result<Reply, ApiError> {
    let sent: SanctionRequest = call.body()?;
    let mut work = UnitOfWork::begin(call).await?;
    let now = work.now();
    let (place, moderator_id, reason) = (sent.place_id, sent.moderator_id, sent.reason.0);
    let expires_at = sent.duration_seconds.map(|duration| duration.end(now));
    let change = moderation_revision::begin(work.tx(), call.guild(), now).await?;
    let person = Person::resolve(work.tx(), call.guild(), sent.identifier).await?;
    let new = NewSanction {
        kind,
        subject: sent.identifier,
        place,
        reason: reason.clone(),
        moderator: moderator_id,
        created_at: now,
        expires_at,
    };
    let Created { sanction: mut imposed, closed } = change::create(work.tx(), &change, new).await?;
    expiry::note(work.tx(), &closed, now).await?;

    let (id, expires_at) = (imposed.sanction_id, expires_at.map(Seconds));
    let superseded: Vec<_> = closed.iter().map(|row| row.sanction_id).collect();
    imposed.mirror_chat_id = mirror_user(work.tx(), &imposed, person).await?;
    let mirrored: Vec<_> = closed.into_iter().chain([imposed]).collect();
    work.publish(enqueue_mirror(work.tx(), &change, &mirrored, &moderator(call, moderator_id)).await?);
    let verb = ModerationVerb::begin_of(kind);
    let details = json!({ "id": id, "reason": reason, "place_id": place, "expires_at": expires_at,
                          "superseded": superseded });
    record(call, &work, StaffAct { verb, moderator: moderator_id, target: sent.identifier, details }).await?;
    let (guild, revision) = (call.guild(), change.revision);
    let changed = ModerationChange { guild, revision, verb, reason: &reason, place_id: place };
    if let Some(event) = Event::moderation(&changed, person) {
        work.announce(event);
    }
    work.commit(reply(Imposed { id, expires_at, revision: change.revision })?).await
}

/// The chat user to ban on the chat platform for a ban of every game (docs/rules.md 4): known directly or by a link, if
/// the guild's setting is on.
async fn mirror_user(
    transaction: &DatabaseTransaction,
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
