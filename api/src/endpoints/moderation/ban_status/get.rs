//! GET /moderation/:guildId/ban-status/:identifier, and the same for mutes.

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
        pub(crate) expires_at: Option<Seconds> = found.expires_at.map(Seconds),
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

#[derive(Serialize, ToSchema)]
pub(crate) struct MuteStatus {
    muted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    mute_info: Option<SanctionInfo>,
}

pub(crate) fn operation(kind: SanctionKind) -> Operation {
    let operation = match kind {
        SanctionKind::Ban => {
            Operation::new("banStatus", "Is a user banned?").data::<BanStatus>().message("the user is banned")
        }
        SanctionKind::Mute => {
            Operation::new("muteStatus", "Is a user muted?").data::<MuteStatus>().message("the user is muted")
        }
    };
    operation.query::<StatusQuery>()
}

pub(crate) async fn handle(call: Call, kind: SanctionKind) -> Result<Reply, ApiError> {
    let StatusQuery { place_id } = call.query()?;
    let OrTest::Player(subject) = call.path("identifier")? else { return reply(kind, None) };
    let ask = Question { kind, subject, place: place_id, now: call.now() };
    let checked = call.state.caches.moderation.find(call.guild(), ask).await?;
    Ok(reply(kind, checked.found)?.stale_if(checked.stale))
}

fn reply(kind: SanctionKind, found: Option<Sanction>) -> Result<Reply, ApiError> {
    let info = found.map(SanctionInfo::from);
    match (kind, info.is_some()) {
        (SanctionKind::Ban, banned) => {
            let message = if banned { "the user is banned" } else { "the user is not banned" };
            Ok(Reply::data(&BanStatus { banned, ban_info: info })?.with_message(message))
        }
        (SanctionKind::Mute, muted) => {
            let message = if muted { "the user is muted" } else { "the user is not muted" };
            Ok(Reply::data(&MuteStatus { muted, mute_info: info })?.with_message(message))
        }
    }
}
