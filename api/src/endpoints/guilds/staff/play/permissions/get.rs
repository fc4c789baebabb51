//! GET /guilds/:guildId/staff/play/:playId/permissions

use entities::PlayId;

use crate::endpoints::prelude::*;
use crate::endpoints::staff::play::staff_status::StaffStatus;

#[derive(Serialize, ToSchema)]
pub(crate) struct PlayPermissions {
    play_id: PlayId,
    #[serde(flatten)]
    status: StaffStatus,
}

pub(crate) fn operation() -> Operation {
    Operation::new("getPlayPermissions", "What a player may do").data::<PlayPermissions>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let play_id: PlayId = call.path("playId")?;
    let status = StaffStatus::of(&call, play_id).await?;
    Reply::data(&PlayPermissions { play_id, status })
}
