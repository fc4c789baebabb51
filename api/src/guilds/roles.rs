//! GET /guilds/:guildId/roles: the guild's roles as the chat platform has them, highest first.

use entities::RoleId;
use serde::Serialize;

use crate::call::Call;
use crate::http::error::ApiError;
use crate::http::reply::Reply;

#[derive(Serialize)]
struct Roles {
    roles: Vec<Role>,
}

#[derive(Serialize)]
struct Role {
    id: RoleId,
    name: String,
    color: u32,
    position: i64,
}

pub(crate) async fn roles(call: Call) -> Result<Reply, ApiError> {
    let mut found = call.app.platforms.chat.guild_roles(call.platform()).await?;
    found.sort_by_key(|role| (std::cmp::Reverse(role.position), role.id));
    let roles = found.into_iter();
    let roles =
        roles.map(|role| Role { id: role.id, name: role.name, color: role.color, position: role.position });
    Reply::data(&Roles { roles: roles.collect() })
}
