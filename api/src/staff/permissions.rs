//! GET /staff/permissions/:guildId/:userId

use entities::staff_role::Permissions;
use entities::{ChatId, staff_directory};
use serde::Serialize;

use crate::call::Call;
use crate::fields::Field;
use crate::http::error::ApiError;
use crate::http::reply::Reply;
use crate::staff::not_staff;

#[derive(Serialize)]
struct Permitted {
    user_id: ChatId,
    role_name: String,
    /// On the chat side.
    permissions: Permissions,
    /// In games.
    play_permissions: Permissions,
}

pub(crate) async fn permissions(call: Call) -> Result<Reply, ApiError> {
    let user: ChatId = call.path("userId", &ChatId::allowed())?;
    let found = staff_directory::find(call.read(), call.guild(), user, call.now()).await?;
    let member = found.ok_or_else(not_staff)?;
    Reply::data(&Permitted {
        user_id: user,
        role_name: member.role_name,
        permissions: member.permissions,
        play_permissions: member.play_permissions,
    })
}
