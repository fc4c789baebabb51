//! POST /moderation/:guildId/play/ban

use entities::sanction::change::{self, Created, NewSanction};
use entities::sanction::expiry;
use entities::staff_action::ActionType;
use entities::{Person, SanctionId, SanctionKind, moderation_revision};
use runtime::ModerationVerb;
use serde::Serialize;
use serde_json::json;

use super::request::SanctionRequest;
use super::{StaffAct, mirror, record};
use crate::call::Call;
use crate::http::error::ApiError;
use crate::http::reply::Reply;
use crate::moderation::{News, commit};
use crate::time::Seconds;

#[derive(Serialize)]
struct Data {
    id: SanctionId,
    banned: bool,
    expires_at: Option<Seconds>,
    /// The guild's moderation after this change, for `?since=`.
    revision: i64,
}

pub(crate) async fn ban(call: Call) -> Result<Reply, ApiError> {
    let SanctionRequest { subject, moderator, reason, place, expires_at, now } =
        SanctionRequest::read(&call)?;
    let transaction = call.begin().await?;
    let change = moderation_revision::begin(&transaction, call.guild(), now).await?;
    let person = Person::resolve(&transaction, call.guild(), subject).await?;
    let (kind, created_at) = (SanctionKind::Ban, now);
    let new = NewSanction { kind, subject, place, reason: reason.clone(), moderator, created_at, expires_at };
    let Created { sanction: mut ban, closed } = change::create(&transaction, &change, new).await?;
    expiry::note(&transaction, &closed, now).await?;

    let (id, superseded) = (ban.sanction_id, closed.iter().map(|ban| ban.sanction_id).collect::<Vec<_>>());
    ban.mirror_chat_id = mirror::user(&transaction, &ban, person).await?;
    let mirrored: Vec<_> = closed.into_iter().chain([ban]).collect();
    let jobs = mirror::enqueue(&call, &transaction, &change, (&mirrored, moderator)).await?;

    let expires_at = expires_at.map(Seconds);
    let details = json!({ "id": id, "reason": reason, "place_id": place, "expires_at": expires_at,
                          "superseded": superseded });
    let act =
        StaffAct { kind: ActionType::Ban, action: "moderation.ban", moderator, target: subject, details };
    record(&call, &transaction, act, now).await?;
    let reply = Reply::data(&Data { id, banned: true, expires_at, revision: change.revision })?;
    let news = News { verb: ModerationVerb::Ban, person, reason: &reason, place, revision: change.revision };
    let reply = commit(&call, transaction, reply.with_message("user banned"), news).await?;
    call.app.queue.publish(jobs);
    Ok(reply)
}
