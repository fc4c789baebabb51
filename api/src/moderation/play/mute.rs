//! POST /moderation/:guildId/play/mute

use entities::sanction::change::{self, Created, NewSanction};
use entities::sanction::expiry;
use entities::staff_action::ActionType;
use entities::{Person, SanctionId, SanctionKind, moderation_revision};
use runtime::ModerationVerb;
use serde::Serialize;
use serde_json::json;

use super::request::SanctionRequest;
use super::{StaffAct, record};
use crate::call::Call;
use crate::http::error::ApiError;
use crate::http::reply::Reply;
use crate::moderation::{News, commit};
use crate::time::Seconds;

#[derive(Serialize)]
struct Data {
    id: SanctionId,
    muted: bool,
    expires_at: Option<Seconds>,
    /// The guild's moderation after this change, for `?since=`.
    revision: i64,
}

pub(crate) async fn mute(call: Call) -> Result<Reply, ApiError> {
    let SanctionRequest { subject, moderator, reason, place, expires_at, now } =
        SanctionRequest::read(&call)?;
    let transaction = call.begin().await?;
    let change = moderation_revision::begin(&transaction, call.guild(), now).await?;
    let person = Person::resolve(&transaction, call.guild(), subject).await?;
    let (kind, created_at) = (SanctionKind::Mute, now);
    let new = NewSanction { kind, subject, place, reason: reason.clone(), moderator, created_at, expires_at };
    let Created { sanction: mute, closed } = change::create(&transaction, &change, new).await?;
    expiry::note(&transaction, &closed, now).await?;

    let superseded: Vec<_> = closed.iter().map(|mute| mute.sanction_id).collect();
    let expires_at = expires_at.map(Seconds);
    let details = json!({ "id": mute.sanction_id, "reason": reason, "place_id": place, "expires_at": expires_at,
                          "superseded": superseded });
    let act =
        StaffAct { kind: ActionType::Mute, action: "moderation.mute", moderator, target: subject, details };
    record(&call, &transaction, act, now).await?;
    let reply =
        Reply::data(&Data { id: mute.sanction_id, muted: true, expires_at, revision: change.revision })?;
    let news = News { verb: ModerationVerb::Mute, person, reason: &reason, place, revision: change.revision };
    commit(&call, transaction, reply.with_message("user muted"), news).await
}
