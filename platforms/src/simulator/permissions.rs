//! What the bot may do in a guild, as far as the simulator serves it.

use super::reply::Reply;
use super::world::Guild;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Permission(u64);

pub(super) const ADMINISTRATOR: Permission = Permission(1 << 3);
pub(super) const BAN_MEMBERS: Permission = Permission(1 << 2);
pub(super) const MANAGE_CHANNELS: Permission = Permission(1 << 4);
pub(super) const MANAGE_NICKNAMES: Permission = Permission(1 << 27);
pub(super) const MANAGE_ROLES: Permission = Permission(1 << 28);

impl Permission {
    pub(super) const fn bits(self) -> u64 {
        self.0
    }
}

pub(super) fn missing_permissions() -> Reply {
    Reply::chat_error(403, 50013, "Missing Permissions")
}

impl Guild {
    /// 403 unless one of the bot's roles, or everybody's, has the permission.
    pub(super) fn bot_may(&self, permission: Permission) -> Result<(), Reply> {
        let held = self.bot_permissions();
        if held & (permission.0 | ADMINISTRATOR.0) == 0 { Err(missing_permissions()) } else { Ok(()) }
    }
}
