//! GET /staff/members/:guildId

use entities::staff_directory::{self, Described};
use entities::{ChatId, PlayId, RoleId};

use crate::endpoints::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct StaffMembers {
    members: Vec<StaffMember>,
}

answer! {
    pub(crate) struct StaffMember from row: Described {
        chat_id: ChatId,
        /// Null: the chat user is not linked.
        #[schema(required)]
        play_id: Option<PlayId>,
        role_id: RoleId,
        #[schema(example = "Moderator")]
        role_name: String,
        /// Has an open session.
        on_duty: bool,
        joined_at: Seconds,
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("listStaffMembers", "All staff").data::<StaffMembers>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let rows = staff_directory::list(call.read(), call.guild(), call.now()).await?;
    Reply::data(&StaffMembers { members: rows.into_iter().map(StaffMember::from).collect() })
}
