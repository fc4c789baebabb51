//! GET /moderation/:guildId/ban-status/:identifier

use entities::SanctionKind;

use crate::endpoints::moderation::status::{SanctionInfo, StatusQuery, find};
use crate::endpoints::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct BanStatus {
    banned: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    ban_info: Option<SanctionInfo>,
}

pub(crate) fn operation() -> Operation {
    Operation::new("banStatus", "Is somebody banned?")
        .query::<StatusQuery>()
        .data::<BanStatus>()
        .message("the user is banned")
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let ban_info = find(&call, SanctionKind::Ban).await?;
    let banned = ban_info.is_some();
    let message = if banned { "the user is banned" } else { "the user is not banned" };
    Ok(Reply::data(&BanStatus { banned, ban_info })?.with_message(message))
}
