//! GET /guilds/:guildId/roles

use entities::RoleId;
use platforms::ChatRole;

use crate::endpoints::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct GuildRoles {
    roles: Vec<GuildRole>,
    /// Null on the last page.
    #[schema(required)]
    next_cursor: Option<RoleId>,
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
        .about("As the chat platform has them, highest first; pages are by id, newest first.")
        .paged_if_asked::<RoleId>()
        .data::<GuildRoles>()
        .asks_platform()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let page = call.page_or_whole::<RoleId>()?;
    let mut roles = call.state.platforms.chat.guild_roles(call.platform()).await?;
    roles.sort_by_key(|role| (std::cmp::Reverse(role.position), role.id));
    let roles = page.newest_of(roles, |role| role.id);
    page.reply(roles, |role| role.id, |roles, next_cursor| GuildRoles { roles, next_cursor })
}
