//! POST /moderation/:guildId/play/unban

use entities::sanction::change::{self, Target};
use entities::sanction::{active, expiry};
use entities::staff_action::ActionType;
use entities::{Lifted, Person, SanctionId, SanctionKind, moderation_revision};
use runtime::ModerationVerb;
use serde::Serialize;
use serde_json::json;

use super::request::LiftRequest;
use super::{StaffAct, mirror, record};
use crate::call::Call;
use crate::http::error::ApiError;
use crate::http::reply::Reply;
use crate::moderation::{News, commit};

#[derive(Serialize)]
struct Unbanned {
    unbanned: bool,
    /// The bans that were lifted.
    lifted: Vec<SanctionId>,
    /// Where a place was given: another ban still holds there.
    still_banned: bool,
}

const LIFTED: &str = "user unbanned";
const NONE: &str = "there was no active ban";
const STILL: &str = "the ban of this place is lifted; a ban of every game is still in force";
const ONLY_WIDER: &str = "there was no active ban of this place; a ban of every game is still in force";

pub(crate) async fn unban(call: Call) -> Result<Reply, ApiError> {
    let LiftRequest { subject, moderator, reason, place } = LiftRequest::read(&call.fields)?;
    let transaction = call.begin().await?;
    let now = call.now();
    let change = moderation_revision::begin(&transaction, call.guild(), now).await?;
    let person = Person::resolve(&transaction, call.guild(), subject).await?;
    let target = Target { kind: SanctionKind::Ban, person, place };
    let closed = change::lift(&transaction, &change, target, moderator).await?;
    let lifted = closed.iter().filter(|ban| ban.lifted_how == Some(Lifted::Lifted));
    let lifted: Vec<_> = lifted.map(|ban| ban.sanction_id).collect();
    let left = active::remaining(&transaction, call.guild(), target, now).await?;
    let still_banned = left.is_some();
    if lifted.is_empty() {
        // What had lapsed is left to the sweep.
        transaction.rollback().await?;
        let message = if still_banned { ONLY_WIDER } else { NONE };
        return Ok(Reply::data(&Unbanned { unbanned: true, lifted, still_banned })?.with_message(message));
    }
    expiry::note(&transaction, &closed, now).await?;
    let jobs = mirror::enqueue(&call, &transaction, &change, (&closed, moderator)).await?;
    let details = json!({ "lifted": lifted, "reason": reason, "place_id": place });
    let act =
        StaffAct { kind: ActionType::Unban, action: "moderation.unban", moderator, target: subject, details };
    record(&call, &transaction, act, now).await?;

    let (verb, reason, place, message) = match &left {
        Some(ban) => (ModerationVerb::Ban, ban.reason.as_str(), ban.place_id, STILL),
        None => (ModerationVerb::Unban, reason.as_deref().unwrap_or_default(), place, LIFTED),
    };
    let reply = Reply::data(&Unbanned { unbanned: true, lifted, still_banned })?.with_message(message);
    let news = News { verb, person, reason, place, revision: change.revision };
    let reply = commit(&call, transaction, reply, news).await?;
    call.app.queue.publish(jobs);
    Ok(reply)
}
