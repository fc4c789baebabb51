//! PUT /guilds/:guildId/staff/roles/:roleId: keeps what it does not name. Quotas for the role follow its name
//! (docs/rules.md 6).

use entities::staff_role::{self, Model, NewRole, Permissions};
use entities::{RoleId, guild, quota};
use runtime::Event;

use crate::endpoints::audit;
use crate::endpoints::guilds::staff::roles::permission_names::{ChatPermissionNames, PlayPermissionNames};
use crate::endpoints::guilds::staff::roles::staff_role::StaffRole;
use crate::endpoints::prelude::*;
use crate::request::parts::Field;

request! {
    pub(crate) struct StaffRoleRequest {
        /// Required for a new role.
        #[example("Moderator")]
        role_name: Option<Text<100>>,
        /// On the chat side. If absent: none for a new role, unchanged for an existing one.
        permissions: Option<ChatPermissionNames>,
        /// In games, any words that the guild's games know. If absent: none for a new role, unchanged for an existing one.
        play_permissions: Option<PlayPermissionNames>,
    }
}

impl StaffRoleRequest {
    fn applied_to(self, role: RoleId, before: Option<&Model>) -> Result<NewRole, ApiError> {
        let role_name =
            self.role_name.map(|text| text.0).or_else(|| before.map(|role| role.role_name.clone()));
        let kept = |of: fn(&Model) -> &Permissions| before.map(|role| of(role).0.clone()).unwrap_or_default();
        Ok(NewRole {
            role,
            role_name: role_name.ok_or_else(|| ApiError::missing("role_name", &Text::<100>::allowed()))?,
            permissions: self.permissions.map_or_else(|| kept(|role| &role.permissions), |sent| sent.0),
            play_permissions: self
                .play_permissions
                .map_or_else(|| kept(|role| &role.play_permissions), |sent| sent.0),
        })
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("putStaffRole", "Create or change a staff role")
        .about("What is absent stays as it is.")
        .body::<StaffRoleRequest>()
        .data::<StaffRole>()
        .message("staff role added")
        .refuses(422, &["too_many"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let role: RoleId = call.path("roleId")?;
    let sent: StaffRoleRequest = call.body()?;
    let mut work = UnitOfWork::begin(&call).await?;
    let before = staff_role::find_for_update(work.tx(), call.guild(), role).await?;
    let new = sent.applied_to(role, before.as_ref())?;
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
    work.announce([Event::StaffChanged { guild: call.guild() }]);
    work.audit("staff_roles.put", role, changes);
    if guild::find(work.tx(), call.guild()).await?.is_some_and(|guild| guild.staff_by_role) {
        work.look_at_members().await?;
    }
    let message = if before.is_some() { "staff role updated" } else { "staff role added" };
    work.commit(Reply::data(&shown)?.with_message(message)).await
}
