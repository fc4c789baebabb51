//! A member's rights in a guild, by the platform's own permissions.

use entities::{ChatId, GuildId, RoleId};
use serde::Deserialize;

use crate::chat::RoleProblem;
use crate::chat::{ChatRole, ChatUser};
use crate::permissions::{ADMINISTRATOR, Permissions};

/// A member's standing in a guild.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuildAccess {
    pub guild_name: String,
    pub is_owner: bool,
    /// Of all the member's roles and the everyone role; the owner has every permission.
    pub permissions: Permissions,
    pub is_bot: bool,
    /// The name in the guild: the nickname, or else the account's name.
    pub user_name: String,
    /// Without the everyone role.
    pub roles: Vec<RoleId>,
    of_guild: Vec<ChatRole>,
}

#[derive(Deserialize)]
pub(crate) struct GuildBody {
    pub(crate) name: String,
    pub(crate) owner_id: ChatId,
    /// Names the file of the icon.
    #[serde(default)]
    pub(crate) icon: Option<String>,
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
        let (is_bot, guild_name, of_guild) = (member.user.bot, guild.name, guild.roles);
        let user_name = member.nick.unwrap_or(member.user.account.name);
        Self { guild_name, is_owner, permissions, is_bot, user_name, roles: member.roles, of_guild }
    }

    /// Whether the member may do everything there: the owner or an administrator.
    pub fn administrates(&self) -> bool {
        self.is_owner || self.permissions.permits(Permissions::from_bits(ADMINISTRATOR))
    }

    pub fn role(&self, id: RoleId) -> Option<&ChatRole> {
        self.of_guild.iter().find(|role| role.id == id)
    }

    /// Whether the member stands above the role: they may give and take only such roles (docs/rules.md 5).
    pub fn outranks(&self, role: RoleId) -> Result<(), RoleProblem> {
        let role = self.role(role).ok_or(RoleProblem::Unknown)?;
        let held = self.of_guild.iter().filter(|known| self.roles.contains(&known.id));
        let above = self.is_owner || held.map(|known| known.position).max() > Some(role.position);
        if above { Ok(()) } else { Err(RoleProblem::AboveGiver) }
    }

    /// Whether the member administrates the guild: its owner, an administrator, or a member with Manage
    /// Server.
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
            let (permissions, position) = (permissions.to_string(), id.parse::<u64>().unwrap() - 7);
            json!({ "id": id, "name": "r", "position": position, "permissions": permissions })
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

    #[test]
    fn manage_server_does_not_administrate() {
        assert!(
            access("1", json!([]), 0).administrates()
                && access("2", json!(["9"]), ADMINISTRATOR).administrates()
        );
        assert!(!access("2", json!(["9"]), !ADMINISTRATOR).administrates());
    }

    #[test]
    fn a_member_outranks_roles_below_the_own_highest_and_the_owner_all() {
        let stands = |user: &str, roles: Value| {
            let access = access(user, roles, ADMINISTRATOR);
            [7, 8, 9, 10].map(|role| access.outranks(RoleId::try_from(role).unwrap()))
        };
        let (above, unknown) = (Err(RoleProblem::AboveGiver), Err(RoleProblem::Unknown));
        assert_eq!(stands("1", json!([])), [Ok(()), Ok(()), Ok(()), unknown]);
        assert_eq!(stands("2", json!(["8", "9"])), [Ok(()), Ok(()), above, unknown]);
        assert_eq!(stands("2", json!(["8"])), [Ok(()), above, above, unknown]);
        assert_eq!(stands("2", json!([])), [above, above, above, unknown]);
    }
}
