//! POST /moderation/:guildId/play/unmute

use entities::sanction::change::{self, Target};
use entities::sanction::{active, expiry};
use entities::staff_action::ActionType;
use entities::{Lifted, Person, SanctionId, SanctionKind, moderation_revision};
use runtime::ModerationVerb;
use serde::Serialize;
use serde_json::json;

use super::request::LiftRequest;
use super::{StaffAct, record};
use crate::call::Call;
use crate::http::error::ApiError;
use crate::http::reply::Reply;
use crate::moderation::{News, commit};

#[derive(Serialize)]
struct Unmuted {
    unmuted: bool,
    /// The mutes that were lifted.
    lifted: Vec<SanctionId>,
    /// Where a place was given: another mute still holds there.
    still_muted: bool,
}

const LIFTED: &str = "user unmuted";
const NONE: &str = "there was no active mute";
const STILL: &str = "the mute of this place is lifted; a mute of every game is still in force";
const ONLY_WIDER: &str = "there was no active mute of this place; a mute of every game is still in force";

pub(crate) async fn unmute(call: Call) -> Result<Reply, ApiError> {
    let LiftRequest { subject, moderator, reason, place } = LiftRequest::read(&call.fields)?;
    let transaction = call.begin().await?;
    let now = call.now();
    let change = moderation_revision::begin(&transaction, call.guild(), now).await?;
    let person = Person::resolve(&transaction, call.guild(), subject).await?;
    let target = Target { kind: SanctionKind::Mute, person, place };
    let closed = change::lift(&transaction, &change, target, moderator).await?;
    let lifted = closed.iter().filter(|mute| mute.lifted_how == Some(Lifted::Lifted));
    let lifted: Vec<_> = lifted.map(|mute| mute.sanction_id).collect();
    let left = active::remaining(&transaction, call.guild(), target, now).await?;
    let still_muted = left.is_some();
    if lifted.is_empty() {
        // What had lapsed is left to the sweep.
        transaction.rollback().await?;
        let message = if still_muted { ONLY_WIDER } else { NONE };
        return Ok(Reply::data(&Unmuted { unmuted: true, lifted, still_muted })?.with_message(message));
    }
    expiry::note(&transaction, &closed, now).await?;
    let details = json!({ "lifted": lifted, "reason": reason, "place_id": place });
    let act = StaffAct {
        kind: ActionType::Unmute,
        action: "moderation.unmute",
        moderator,
        target: subject,
        details,
    };
    record(&call, &transaction, act, now).await?;

    let (verb, reason, place, message) = match &left {
        Some(mute) => (ModerationVerb::Mute, mute.reason.as_str(), mute.place_id, STILL),
        None => (ModerationVerb::Unmute, reason.as_deref().unwrap_or_default(), place, LIFTED),
    };
    let reply = Reply::data(&Unmuted { unmuted: true, lifted, still_muted })?.with_message(message);
    let news = News { verb, person, reason, place, revision: change.revision };
    commit(&call, transaction, reply, news).await
}
