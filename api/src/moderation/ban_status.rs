//! GET /moderation/:guildId/ban-status/:identifier

use entities::{BanId, ChatId, PlaceId, Subject, ban};
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
    id: BanId,
    reason: String,
    moderator_id: ChatId,
    expires_at: Option<Seconds>,
    created_at: Seconds,
    /// The account the ban names; the check may have asked for the other one.
    identifier: Option<Subject>,
    /// None: every game of the guild.
    place_id: Option<PlaceId>,
}

impl From<ban::Model> for BanInfo {
    fn from(ban: ban::Model) -> Self {
        Self {
            id: ban.ban_id,
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
    let found = call.app.status.ban(call.read(), ask).await?;
    let message = if found.is_some() { "the user is banned" } else { "the user is not banned" };
    let status = BanStatus { banned: found.is_some(), ban_info: found.map(BanInfo::from) };
    Ok(Reply::data(&status)?.with_message(message))
}
