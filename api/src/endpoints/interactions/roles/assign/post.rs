//! POST /interactions/roles/assign

use jobs::kinds::AssignRole;

use crate::endpoints::interactions::roles::change::RoleChange;
use crate::endpoints::prelude::*;

pub(crate) fn operation() -> Operation {
    Operation::new("assignRole", "Give a role to a member")
        .body::<RoleChange>()
        .message("role assigned")
        .job()
        .refuses(404, &["not_a_member"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let change: RoleChange = call.body()?;
    call.caller.decides_about(change.user_id)?;
    let payload = AssignRole {
        guild: call.guild(),
        user: change.user_id,
        role: change.role_id,
        by: call.caller.giver(),
    };
    change.run(&call, &payload, "roles.assign_requested").await
}
