//! GET /moderation/:guildId/ban-status/:identifier. The check of mutes shares its query, its look-up and the sanction
//! in its response.

use entities::{ChatId, PlaceId, SanctionId, SanctionKind, Subject};

use crate::cache::sanctions::{Question, Sanction};
use crate::endpoints::prelude::*;
use crate::request::values::OrTest;

request! {
    pub(crate) struct StatusQuery {
        /// Only sanctions of this place and of all games; absent: all sanctions.
        place_id: Option<PlaceId>,
    }
}

answer! {
    pub(crate) struct SanctionInfo from found: Sanction {
        id: SanctionId,
        #[schema(example = "exploiting")]
        reason: String,
        /// `0`: the system.
        #[schema(value_type = String, pattern = "^(0|[1-9][0-9]{0,18})$", example = "812345678901234567")]
        moderator_id: ChatId,
        /// Null: never.
        #[schema(required)]
        expires_at: Option<Seconds> = found.expires_at.map(Seconds),
        created_at: Seconds,
        /// The account that the sanction names; the check may name the linked one.
        identifier: Subject,
        /// Null: every game of the guild.
        #[schema(required)]
        place_id: Option<PlaceId>,
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct BanStatus {
    banned: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    ban_info: Option<SanctionInfo>,
}

pub(crate) fn operation() -> Operation {
    Operation::new("banStatus", "Is a user banned?")
        .query::<StatusQuery>()
        .data::<BanStatus>()
        .message("the user is banned")
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let (ban_info, stale) = find(&call, SanctionKind::Ban).await?;
    let banned = ban_info.is_some();
    let message = if banned { "the user is banned" } else { "the user is not banned" };
    Ok(Reply::data(&BanStatus { banned, ban_info })?.with_message(message).stale_if(stale))
}

/// The sanction of this kind that applies to the user of the path, and whether it is stale.
pub(crate) async fn find(call: &Call, kind: SanctionKind) -> Result<(Option<SanctionInfo>, bool), ApiError> {
    let StatusQuery { place_id } = call.query()?;
    let OrTest::Player(subject) = call.path("identifier")? else { return Ok((None, false)) };
    let ask = Question { kind, subject, place: place_id, now: call.now() };
    let checked = call.state.caches.moderation.find(call.guild(), ask).await?;
    Ok((checked.found.map(SanctionInfo::from), checked.stale))
}
