//! The bot's permissions in a guild, as far as the simulator checks them.

use crate::reply::Reply;
use crate::state::Guild;

/// The platform's data of an owner.
pub(crate) const ALL_PERMISSIONS: u64 = (1 << 53) - 1;
pub(crate) const ADMINISTRATOR: u64 = 1 << 3;
pub(crate) const BAN_MEMBERS: u64 = 1 << 2;
pub(crate) const MANAGE_CHANNELS: u64 = 1 << 4;
pub(crate) const SEND_MESSAGES: u64 = 1 << 11;
pub(crate) const MANAGE_NICKNAMES: u64 = 1 << 27;
pub(crate) const MANAGE_ROLES: u64 = 1 << 28;

pub(crate) fn missing_permissions() -> Reply {
    Reply::chat_error(403, 50013, "Missing Permissions")
}

impl Guild {
    /// 403 unless one of the bot's roles, or the everyone role, has the permission.
    pub(crate) fn bot_may(&self, permission: u64) -> Result<(), Reply> {
        let held = self.bot_permissions();
        if held & (permission | ADMINISTRATOR) == 0 { Err(missing_permissions()) } else { Ok(()) }
    }
}
