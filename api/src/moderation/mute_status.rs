//! GET /moderation/:guildId/mute-status/:identifier

use entities::{ChatId, PlaceId, SanctionId, SanctionKind, Subject, sanction};
use serde::Serialize;

use super::status_cache::Question;
use super::{IDENTIFIER, PLACE};
use crate::call::Call;
use crate::http::error::ApiError;
use crate::http::reply::Reply;
use crate::time::Seconds;

#[derive(Serialize)]
struct MuteStatus {
    muted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    mute_info: Option<MuteInfo>,
}

#[derive(Serialize)]
struct MuteInfo {
    id: SanctionId,
    reason: String,
    moderator_id: ChatId,
    expires_at: Option<Seconds>,
    created_at: Seconds,
    /// The account the mute names; the check may have asked for the other one.
    identifier: Option<Subject>,
    /// None: every game of the guild.
    place_id: Option<PlaceId>,
}

impl From<sanction::Model> for MuteInfo {
    fn from(mute: sanction::Model) -> Self {
        Self {
            id: mute.sanction_id,
            identifier: mute.subject(),
            reason: mute.reason,
            moderator_id: mute.moderator_id,
            expires_at: mute.expires_at.map(Seconds),
            created_at: Seconds(mute.created_at),
            place_id: mute.place_id,
        }
    }
}

pub(crate) async fn mute_status(call: Call) -> Result<Reply, ApiError> {
    let ask = Question {
        guild: call.guild(),
        subject: call.path("identifier", IDENTIFIER)?,
        place: call.query.parsed("place_id", PLACE)?,
        now: call.now(),
    };
    let found = call.app.status.find(call.read(), SanctionKind::Mute, ask).await?;
    let message = if found.is_some() { "the user is muted" } else { "the user is not muted" };
    let status = MuteStatus { muted: found.is_some(), mute_info: found.map(MuteInfo::from) };
    Ok(Reply::data(&status)?.with_message(message))
}
