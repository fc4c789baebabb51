//! GET /guilds/:guildId/staff/roles

use entities::{RoleId, staff_role};

use crate::endpoints::guilds::staff::roles::staff_role::StaffRole;
use crate::endpoints::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct StaffRoles {
    roles: Vec<StaffRole>,
    /// Null on the last page.
    #[schema(required)]
    next_cursor: Option<RoleId>,
}

pub(crate) fn operation() -> Operation {
    Operation::new("listStaffRoles", "Staff roles and what they may do")
        .about("By name; pages are by id, newest first.")
        .paged_if_asked::<RoleId>()
        .data::<StaffRoles>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let page = call.page_or_whole::<RoleId>()?;
    let roles = staff_role::list(call.read(), call.guild()).await?;
    let roles = page.newest_of(roles, |role| role.role_id);
    page.reply(roles, |role| role.role_id, |roles, next_cursor| StaffRoles { roles, next_cursor })
}
