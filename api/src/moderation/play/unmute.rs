//! POST /moderation/:guildId/play/unmute

use entities::mute::{self, expiry};
use entities::staff_action::ActionType;
use entities::{Lifted, MuteId, Person, moderation_revision};
use runtime::ModerationVerb;
use serde::Serialize;
use serde_json::json;

use super::request::Release;
use super::{Act, record};
use crate::call::Call;
use crate::http::error::ApiError;
use crate::http::reply::Reply;
use crate::moderation::{News, commit};

#[derive(Serialize)]
struct Unmuted {
    unmuted: bool,
    /// The mutes that were lifted.
    lifted: Vec<MuteId>,
}

const LIFTED: &str = "user unmuted";
const NONE: &str = "there was no active mute";
const STILL: &str = "the mute of this place is lifted; a mute of every game is still in force";

pub(crate) async fn unmute(call: Call) -> Result<Reply, ApiError> {
    let Release { subject, moderator, reason, place } = Release::read(&call.fields)?;
    let transaction = call.begin().await?;
    let now = call.now();
    let change = moderation_revision::begin(&transaction, call.guild(), now).await?;
    let person = Person::resolve(&transaction, call.guild(), subject).await?;
    let closed = mute::lift(&transaction, &change, (person, place), moderator).await?;
    let lifted = closed.iter().filter(|mute| mute.lifted_how == Some(Lifted::Lifted));
    let lifted: Vec<_> = lifted.map(|mute| mute.mute_id).collect();
    if lifted.is_empty() {
        // What had lapsed is left to the sweep.
        transaction.rollback().await?;
        return Ok(Reply::data(&Unmuted { unmuted: true, lifted })?.with_message(NONE));
    }
    expiry::note(&transaction, &closed, now).await?;
    let details = json!({ "lifted": lifted, "reason": reason, "place_id": place });
    let act =
        Act { kind: ActionType::Unmute, action: "moderation.unmute", moderator, target: subject, details };
    record(&call, &transaction, act, now).await?;

    let left = mute::remaining(&transaction, call.guild(), (person, place), now).await?;
    let (verb, reason, place, message) = match &left {
        Some(mute) => (ModerationVerb::Mute, mute.reason.as_str(), mute.place_id, STILL),
        None => (ModerationVerb::Unmute, reason.as_deref().unwrap_or_default(), place, LIFTED),
    };
    let reply = Reply::data(&Unmuted { unmuted: true, lifted })?.with_message(message);
    let news = News { verb, person, reason, place, revision: change.revision };
    commit(&call, transaction, reply, news).await
}
