//! GET /staff/members/:guildId

use entities::staff_directory::{self, Described};
use entities::{ChatId, PlayId, RoleId};

use crate::endpoints::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct StaffMembers {
    members: Vec<StaffMember>,
    /// Null on the last page.
    #[schema(required)]
    next_cursor: Option<ChatId>,
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
    Operation::new("listStaffMembers", "All staff")
        .about("By chat id; pages are sorted by descending id.")
        .paged_if_asked::<ChatId>()
        .data::<StaffMembers>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let page = call.page_or_whole::<ChatId>()?;
    let rows = staff_directory::list(call.read(), call.guild(), call.now()).await?;
    let rows = page.newest_of(rows, |row| row.chat_id);
    page.reply(rows, |row| row.chat_id, |members, next_cursor| StaffMembers { members, next_cursor })
}
