//! What a member may do in a guild, as far as the platform's own permissions say.

use entities::{ChatId, GuildId, RoleId};
use serde::Deserialize;

use crate::chat::{ChatRole, ChatUser};
use crate::permissions::Permissions;

/// A member's standing in a guild.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuildAccess {
    pub guild_name: String,
    pub is_owner: bool,
    /// Of all the member's roles and the everyone role; the owner has every permission.
    pub permissions: Permissions,
    pub is_bot: bool,
    /// As the guild sees it: the nickname, or else the account's name.
    pub user_name: String,
    /// Without the everyone role.
    pub roles: Vec<RoleId>,
}

#[derive(Deserialize)]
pub(crate) struct GuildBody {
    pub(crate) name: String,
    pub(crate) owner_id: ChatId,
    roles: Vec<ChatRole>,
}

#[derive(Deserialize)]
pub(crate) struct AccessMember {
    user: AccessUser,
    nick: Option<String>,
    roles: Vec<RoleId>,
}

#[derive(Deserialize)]
struct AccessUser {
    #[serde(flatten)]
    account: ChatUser,
    #[serde(default)]
    bot: bool,
}

impl GuildAccess {
    pub(crate) fn new(id: GuildId, guild: GuildBody, member: AccessMember) -> Self {
        let is_owner = guild.owner_id == member.user.account.id;
        // The id of the everyone role is the guild's id.
        let held = |role: &&ChatRole| role.id.get() == id.get() || member.roles.contains(&role.id);
        let of_roles = guild.roles.iter().filter(held).map(|role| role.permissions);
        let permissions = if is_owner {
            Permissions::from_bits(u64::MAX)
        } else {
            of_roles.fold(Permissions::default(), Permissions::with)
        };
        let is_bot = member.user.bot;
        let user_name = member.nick.unwrap_or(member.user.account.name);
        Self { guild_name: guild.name, is_owner, permissions, is_bot, user_name, roles: member.roles }
    }

    /// Whether the member administrates the guild: its owner, an administrator, or somebody with Manage Server.
    pub fn manages(&self) -> bool {
        manages(self.is_owner, self.permissions)
    }
}

pub(crate) fn manages(is_owner: bool, permissions: Permissions) -> bool {
    is_owner || permissions.permits(Permissions::MANAGE_SERVER)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::permissions::ADMINISTRATOR;

    const MANAGE_SERVER: u64 = 1 << 5;

    /// Guild 7 of owner 1: the everyone role (1024), role 8 (2048), role 9 with these permissions.
    fn access(user: &str, roles: Value, of_role_9: u64) -> GuildAccess {
        let role = |id: &str, permissions: u64| {
            let permissions = permissions.to_string();
            json!({ "id": id, "name": "r", "position": 1, "permissions": permissions })
        };
        let guild = json!({ "name": "G", "owner_id": "1",
                            "roles": [role("7", 1024), role("8", 2048), role("9", of_role_9)] });
        let member = json!({ "user": { "id": user, "username": "u" }, "nick": null, "roles": roles });
        let (guild, member) =
            (serde_json::from_value(guild).unwrap(), serde_json::from_value(member).unwrap());
        GuildAccess::new(GuildId::try_from(7).unwrap(), guild, member)
    }

    #[test]
    fn permissions_are_those_of_all_roles_held() {
        let plain = access("2", json!(["8"]), ADMINISTRATOR);
        assert_eq!(plain.permissions, Permissions::from_bits(1024 | 2048));
        assert_eq!((plain.user_name.as_str(), plain.is_owner, plain.manages()), ("u", false, false));
        assert_eq!(access("2", json!([]), 0).permissions, Permissions::from_bits(1024));
        // A role that was deleted since.
        assert_eq!(access("2", json!(["10"]), 0).permissions, Permissions::from_bits(1024));
    }

    #[test]
    fn owner_administrators_and_managers_manage_the_guild() {
        for permissions in [ADMINISTRATOR, MANAGE_SERVER] {
            assert!(access("2", json!(["9"]), permissions).manages());
            assert!(!access("2", json!(["8"]), permissions).manages());
        }
        let owner = access("1", json!([]), 0);
        assert!(owner.is_owner && owner.manages());
        assert_eq!(owner.permissions, Permissions::from_bits(u64::MAX));
        assert!(!access("2", json!(["9"]), !(ADMINISTRATOR | MANAGE_SERVER)).manages());
    }
}
