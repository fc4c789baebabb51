//! GET /guilds/:guildId/roles

use entities::RoleId;
use platforms::ChatRole;

use crate::endpoints::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct GuildRoles {
    roles: Vec<GuildRole>,
}

answer! {
    pub(crate) struct GuildRole from role: ChatRole {
        id: RoleId,
        #[schema(example = "Officer")]
        name: String,
        /// As 24-bit RGB.
        #[schema(example = 3_447_003)]
        color: u32,
        /// A role with a higher position stands above.
        #[schema(example = 4)]
        position: i64,
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("listGuildRoles", "The guild's chat roles")
        .about("As the chat platform has them, highest first.")
        .data::<GuildRoles>()
        .asks_platform()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let mut roles = call.state.platforms.chat.guild_roles(call.platform()).await?;
    roles.sort_by_key(|role| (std::cmp::Reverse(role.position), role.id));
    Reply::data(&GuildRoles { roles: roles.iter().map(GuildRole::from).collect() })
}
