//! GET /staff/members/:guildId

use entities::staff_directory::{self, Described};
use entities::{ChatId, PlayId, RoleId};

use crate::endpoints::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct StaffMembers {
    members: Vec<StaffMember>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct StaffMember {
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

impl From<Described> for StaffMember {
    fn from(row: Described) -> Self {
        Self {
            chat_id: row.chat_id,
            play_id: row.play_id,
            role_id: row.role_id,
            role_name: row.role_name,
            on_duty: row.on_duty,
            joined_at: Seconds(row.joined_at),
        }
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("listStaffMembers", "All staff").data::<StaffMembers>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let rows = staff_directory::list(call.read(), call.guild(), call.now()).await?;
    Reply::data(&StaffMembers { members: rows.into_iter().map(StaffMember::from).collect() })
}
