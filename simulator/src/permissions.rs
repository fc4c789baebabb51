//! The bot's permissions in a guild, as far as the simulator checks them.

use crate::reply::Reply;

/// The platform's data of an owner.
pub(crate) const ALL_PERMISSIONS: u64 = (1 << 53) - 1;
pub(crate) const ADMINISTRATOR: u64 = 1 << 3;
pub(crate) const BAN_MEMBERS: u64 = 1 << 2;
pub(crate) const VIEW_AUDIT_LOG: u64 = 1 << 7;
pub(crate) const MANAGE_CHANNELS: u64 = 1 << 4;
pub(crate) const SEND_MESSAGES: u64 = 1 << 11;
pub(crate) const MANAGE_NICKNAMES: u64 = 1 << 27;
pub(crate) const MANAGE_ROLES: u64 = 1 << 28;

pub(crate) fn missing_permissions() -> Reply {
    Reply::chat_error(403, 50013, "Missing Permissions")
}
