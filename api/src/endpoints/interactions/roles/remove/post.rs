//! POST /interactions/roles/remove

use jobs::kinds::RemoveRole;

use crate::endpoints::interactions::roles::change::RoleChange;
use crate::endpoints::prelude::*;

pub(crate) fn operation() -> Operation {
    Operation::new("removeRole", "Take a role from a member")
        .body::<RoleChange>()
        .message("role removed")
        .job()
        .refuses(404, &["not_a_member"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let change: RoleChange = call.body()?;
    call.caller.decides_about(change.user_id)?;
    let payload = RemoveRole {
        guild: call.guild(),
        user: change.user_id,
        role: change.role_id,
        by: call.caller.giver(),
    };
    change.run(&call, &payload, "roles.remove_requested").await
}
