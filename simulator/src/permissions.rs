//! The bot's permissions in a guild, as far as the simulator checks them.

use crate::reply::Reply;
use crate::state::Guild;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Permission(u64);

pub(crate) const ADMINISTRATOR: Permission = Permission(1 << 3);
pub(crate) const BAN_MEMBERS: Permission = Permission(1 << 2);
pub(crate) const MANAGE_CHANNELS: Permission = Permission(1 << 4);
pub(crate) const MANAGE_NICKNAMES: Permission = Permission(1 << 27);
pub(crate) const MANAGE_ROLES: Permission = Permission(1 << 28);

impl Permission {
    pub(crate) const fn bits(self) -> u64 {
        self.0
    }
}

pub(crate) fn missing_permissions() -> Reply {
    Reply::chat_error(403, 50013, "Missing Permissions")
}

impl Guild {
    /// 403 unless one of the bot's roles, or the everyone role, has the permission.
    pub(crate) fn bot_may(&self, permission: Permission) -> Result<(), Reply> {
        let held = self.bot_permissions();
        if held & (permission.0 | ADMINISTRATOR.0) == 0 { Err(missing_permissions()) } else { Ok(()) }
    }
}
