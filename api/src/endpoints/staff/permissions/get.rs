//! GET /staff/permissions/:guildId/:userId

use entities::staff_role::Permissions;
use entities::{ChatId, staff_directory};

use crate::endpoints::prelude::*;
use crate::endpoints::staff::staff_check::not_staff;

#[derive(Serialize, ToSchema)]
pub(crate) struct StaffPermissions {
    user_id: ChatId,
    #[schema(example = "Moderator")]
    role_name: String,
    /// On the chat side.
    #[schema(value_type = Vec<String>, example = json!(["moderation.read"]))]
    permissions: Permissions,
    /// In games.
    #[schema(value_type = Vec<String>, example = json!(["kick"]))]
    play_permissions: Permissions,
}

pub(crate) fn operation() -> Operation {
    Operation::new("getStaffPermissions", "What a staff member may do").data::<StaffPermissions>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let user: ChatId = call.path("userId")?;
    let found = staff_directory::find(call.read(), call.guild(), user, call.now()).await?;
    let member = found.ok_or_else(not_staff)?;
    Reply::data(&StaffPermissions {
        user_id: user,
        role_name: member.role_name,
        permissions: member.permissions,
        play_permissions: member.play_permissions,
    })
}
