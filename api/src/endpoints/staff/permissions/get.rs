//! GET /staff/permissions/:guildId/:userId

use entities::ChatId;
use entities::staff_directory::{self, Described};
use entities::staff_role::Permissions;

use crate::endpoints::prelude::*;

answer! {
    pub(crate) struct StaffPermissions from row: Described {
        user_id: ChatId = row.chat_id,
        #[schema(example = "Moderator")]
        role_name: String,
        /// On the chat side.
        #[schema(value_type = Vec<String>, example = json!(["moderation.read"]))]
        permissions: Permissions,
        /// In games.
        #[schema(value_type = Vec<String>, example = json!(["kick"]))]
        play_permissions: Permissions,
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("getStaffPermissions", "What a staff member may do").data::<StaffPermissions>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let user: ChatId = call.path("userId")?;
    let found = staff_directory::find(call.read(), call.guild(), user, call.now()).await?;
    Reply::data(&StaffPermissions::from(found.or_not_found("staff member")?))
}
