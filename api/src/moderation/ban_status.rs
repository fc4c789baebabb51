//! GET /moderation/:guildId/ban-status/:identifier

use entities::{ChatId, PlaceId, SanctionId, SanctionKind, Subject, sanction};
use serde::Serialize;

use super::status_cache::Question;
use super::{IDENTIFIER, PLACE};
use crate::call::Call;
use crate::http::error::ApiError;
use crate::http::reply::Reply;
use crate::time::Seconds;

#[derive(Serialize)]
struct BanStatus {
    banned: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    ban_info: Option<BanInfo>,
}

#[derive(Serialize)]
struct BanInfo {
    id: SanctionId,
    reason: String,
    moderator_id: ChatId,
    expires_at: Option<Seconds>,
    created_at: Seconds,
    /// The account the ban names; the check may have asked for the other one.
    identifier: Option<Subject>,
    /// None: every game of the guild.
    place_id: Option<PlaceId>,
}

impl From<sanction::Model> for BanInfo {
    fn from(ban: sanction::Model) -> Self {
        Self {
            id: ban.sanction_id,
            identifier: ban.subject(),
            reason: ban.reason,
            moderator_id: ban.moderator_id,
            expires_at: ban.expires_at.map(Seconds),
            created_at: Seconds(ban.created_at),
            place_id: ban.place_id,
        }
    }
}

pub(crate) async fn ban_status(call: Call) -> Result<Reply, ApiError> {
    let ask = Question {
        guild: call.guild(),
        subject: call.path("identifier", IDENTIFIER)?,
        place: call.query.parsed("place_id", PLACE)?,
        now: call.now(),
    };
    let found = call.app.status.find(call.read(), SanctionKind::Ban, ask).await?;
    let message = if found.is_some() { "the user is banned" } else { "the user is not banned" };
    let status = BanStatus { banned: found.is_some(), ban_info: found.map(BanInfo::from) };
    Ok(Reply::data(&status)?.with_message(message))
}
