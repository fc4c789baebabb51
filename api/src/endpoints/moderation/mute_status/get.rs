//! GET /moderation/:guildId/mute-status/:identifier

use entities::SanctionKind;

use crate::endpoints::moderation::ban_status::get::{SanctionInfo, StatusQuery, find};
use crate::endpoints::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct MuteStatus {
    muted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    mute_info: Option<SanctionInfo>,
}

pub(crate) fn operation() -> Operation {
    Operation::new("muteStatus", "Is a user muted?")
        .query::<StatusQuery>()
        .data::<MuteStatus>()
        .message("the user is muted")
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let (mute_info, stale) = find(&call, SanctionKind::Mute).await?;
    let muted = mute_info.is_some();
    let message = if muted { "the user is muted" } else { "the user is not muted" };
    Ok(Reply::data(&MuteStatus { muted, mute_info })?.with_message(message).stale_if(stale))
}
