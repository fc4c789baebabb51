//! DELETE /guilds/:guildId/staff/roles/:roleId

use entities::{RoleId, quota, staff_member, staff_role};
use runtime::Event;

use crate::endpoints::guilds::staff::roles::staff_role::StaffRole;
use crate::endpoints::prelude::*;

pub(crate) fn operation() -> Operation {
    Operation::new("deleteStaffRole", "Delete a staff role")
        .about("Refused while a staff member holds it or a quota is for it.")
        .message("staff role deleted")
        .refuses(409, &["role_in_use"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let role: RoleId = call.path("roleId")?;
    let mut work = UnitOfWork::begin(&call).await?;
    // Giving a member this role locks it too, so the count stays right until the commit.
    let before =
        staff_role::find_for_update(work.tx(), call.guild(), role).await?.or_not_found("staff role")?;
    let holders = staff_member::count_with_role(work.tx(), call.guild(), role).await?;
    if holders > 0 {
        let message = format!("{holders} staff members hold this role: give them another one first");
        return Err(ApiError::conflict("role_in_use", message));
    }
    let quotas = quota::count_for_role_alone(work.tx(), call.guild(), &before.role_name).await?;
    if quotas > 0 {
        let message =
            format!("{quotas} quotas are for this role: delete them or give them another `scope` first");
        return Err(ApiError::conflict("role_in_use", message));
    }
    staff_role::delete(work.tx(), call.guild(), role).await?;
    work.announce([Event::StaffChanged { guild: call.guild() }]);
    work.audit("staff_roles.delete", role, json!({ "before": StaffRole::from(&before) }));
    work.commit(Reply::message("staff role deleted")).await
}
