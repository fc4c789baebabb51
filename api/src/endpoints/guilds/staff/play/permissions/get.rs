//! GET /guilds/:guildId/staff/play/:playId/permissions

use entities::PlayId;

use crate::endpoints::prelude::*;
use crate::endpoints::staff::play::staff_status::StaffStatus;
use crate::request::values::OrTest;

#[derive(Serialize, ToSchema)]
pub(crate) struct PlayPermissions {
    #[schema(value_type = i64, example = 4_815_162_342_i64)]
    play_id: OrTest<PlayId>,
    #[serde(flatten)]
    status: StaffStatus,
}

pub(crate) fn operation() -> Operation {
    Operation::new("getPlayPermissions", "What a player may do").data::<PlayPermissions>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let play_id: OrTest<PlayId> = call.path("playId")?;
    let status = StaffStatus::of(&call, play_id).await?;
    Reply::data(&PlayPermissions { play_id, status })
}
