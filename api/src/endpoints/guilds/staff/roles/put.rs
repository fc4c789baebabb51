//! PUT /guilds/:guildId/staff/roles/:roleId: the whole role. Quotas for the role follow its name (docs/rules.md 6).

use entities::staff_role::{self, NewRole};
use entities::{RoleId, quota};
use runtime::Event;

use crate::audit;
use crate::endpoints::guilds::staff::roles::permission_names::{ChatPermissionNames, PlayPermissionNames};
use crate::endpoints::guilds::staff::roles::staff_role::StaffRole;
use crate::endpoints::prelude::*;

request! {
    pub(crate) struct StaffRoleRequest {
        #[example("Moderator")]
        role_name: Text<100>,
        /// On the chat side; none if absent.
        permissions: Option<ChatPermissionNames>,
        /// In games; none if absent.
        play_permissions: Option<PlayPermissionNames>,
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("putStaffRole", "Create or replace a staff role")
        .body::<StaffRoleRequest>()
        .data::<StaffRole>()
        .message("staff role added")
        .refuses(422, &["too_many"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let role: RoleId = call.path("roleId")?;
    let StaffRoleRequest { role_name: Text(role_name), permissions, play_permissions } = call.body()?;
    let permissions = permissions.unwrap_or_default().0;
    let play_permissions = play_permissions.unwrap_or_default().0;
    let new = NewRole { role, role_name, permissions, play_permissions };
    let mut work = UnitOfWork::begin(&call).await?;
    let before = staff_role::find_for_update(work.tx(), call.guild(), role).await?;
    if before.is_none() {
        call.room_for(work.tx(), Cap::StaffRoles, 1).await?;
    }
    let after = staff_role::upsert(work.tx(), call.guild(), new, work.now()).await?;
    let shown = StaffRole::from(&after);
    let changes = match &before {
        None => Some(json!({ "after": shown })),
        Some(before) => audit::changes(&StaffRole::from(before), &shown)?,
    };
    let Some(changes) = changes else {
        return Ok(Reply::data(&shown)?.with_message("nothing to change: the role is like that already"));
    };
    if let Some(before) = before.as_ref().filter(|before| before.role_name != after.role_name) {
        quota::follow_role(work.tx(), call.guild(), &before.role_name, &after.role_name).await?;
    }
    work.announce(Event::StaffChanged { guild: call.guild() });
    work.audit("staff_roles.put", role, changes);
    let message = if before.is_some() { "staff role updated" } else { "staff role added" };
    work.commit(Reply::data(&shown)?.with_message(message)).await
}
