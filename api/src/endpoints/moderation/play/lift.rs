//! Lifting bans or mutes. One transaction: the rows, the staff action of the moderator, the audit entry, the job that
//! lifts a mirrored ban.

use entities::sanction::change::{self, Target};
use entities::sanction::{active, expiry};
use entities::{ChatId, Lifted, Person, PlaceId, SanctionId, SanctionKind, Subject, moderation_revision};
use queue::enqueue_mirror;
use runtime::{Event, ModerationChange, ModerationVerb};

use crate::endpoints::moderation::play::staff_act::{StaffAct, moderator, record};
use crate::endpoints::prelude::*;
use crate::request::values::Text;

request! {
    pub(crate) struct LiftRequest {
        identifier: Subject,
        moderator_id: ChatId,
        #[example("appeal accepted")]
        reason: Option<Text>,
        /// Null or absent: those of every place.
        place_id: Option<PlaceId>,
    }
}

pub(crate) struct LiftedSanctions {
    pub(crate) ids: Vec<SanctionId>,
    /// Where a place was given: another sanction still holds there.
    pub(crate) still: bool,
}

pub(crate) async fn lift(
    call: &Call,
    kind: SanctionKind,
    reply: impl FnOnce(LiftedSanctions) -> Result<Reply, ApiError>,
) -> Result<Reply, ApiError> {
    let LiftRequest { identifier, moderator_id, reason, place_id: place } = call.body()?;
    let reason = reason.map(|text| text.0);
    let mut work = UnitOfWork::begin(call).await?;
    let now = work.now();
    let change = moderation_revision::begin(work.tx(), call.guild(), now).await?;
    let person = Person::resolve(work.tx(), call.guild(), identifier).await?;
    let target = Target { kind, person, place };
    let closed = change::lift(work.tx(), &change, target, moderator_id).await?;
    let lifted = closed.iter().filter(|row| row.lifted_how == Some(Lifted::Lifted));
    let ids: Vec<_> = lifted.map(|row| row.sanction_id).collect();
    let left = active::remaining(work.tx(), call.guild(), target, now).await?;
    let message = message(kind, ids.is_empty(), left.is_some());
    let answer = reply(LiftedSanctions { ids: ids.clone(), still: left.is_some() })?.with_message(message);
    if ids.is_empty() {
        // Rows that had expired are left to the sweep.
        return Ok(answer);
    }
    expiry::note(work.tx(), &closed, now).await?;
    work.publish(enqueue_mirror(work.tx(), &change, &closed, &moderator(call, moderator_id)).await?);
    let verb = ModerationVerb::end_of(kind);
    let details = json!({ "lifted": ids, "reason": reason, "place_id": place });
    record(call, &work, StaffAct { verb, moderator: moderator_id, target: identifier, details }).await?;
    let (verb, reason, place_id) = match &left {
        Some(row) => (ModerationVerb::begin_of(kind), row.reason.as_str(), row.place_id),
        None => (verb, reason.as_deref().unwrap_or_default(), place),
    };
    let changed = ModerationChange { guild: call.guild(), revision: change.revision, verb, reason, place_id };
    if let Some(event) = Event::moderation(&changed, person) {
        work.announce(event);
    }
    work.commit(answer).await
}

fn message(kind: SanctionKind, nothing_lifted: bool, still: bool) -> String {
    let (one, done) = match kind {
        SanctionKind::Ban => ("ban", "unbanned"),
        SanctionKind::Mute => ("mute", "unmuted"),
    };
    match (nothing_lifted, still) {
        (true, false) => format!("there was no active {one}"),
        (true, true) => {
            format!("there was no active {one} of this place; a {one} of every game is still in force")
        }
        (false, true) => {
            format!("the {one} of this place is lifted; a {one} of every game is still in force")
        }
        (false, false) => format!("user {done}"),
    }
}
