//! The objects of the chat platform, as far as Guildhall uses them, in the platform's JSON.
//!
//! They are types of our own: twilight's require some twenty unused fields, so a platform change in any of them would
//! stop a sync. The tests check the simulator against twilight instead.

use entities::guild::grants::Grants;
use entities::{ChatId, GuildId, RoleId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::permissions::Permissions;

/// Maximum members per page.
pub const MEMBERS_PER_PAGE: u16 = 1000;
/// A nickname has at most this many characters (not bytes).
pub const MAX_NICK_CHARS: usize = 32;
/// The platform keeps this many characters of a reason.
pub(crate) const MAX_REASON_CHARS: usize = 512;

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ChatRole {
    pub id: RoleId,
    pub name: String,
    /// 0xRRGGBB, 0 for none.
    #[serde(default)]
    pub color: u32,
    /// A higher position ranks above a lower one.
    pub position: i64,
    /// Managed by an integration: cannot be granted or removed on request.
    #[serde(default)]
    pub managed: bool,
    /// Required: a role must not count as harmless because the field is absent.
    pub permissions: Permissions,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "MemberBody")]
pub struct ChatMember {
    pub chat_id: ChatId,
    /// Of the account, unique on the platform. Empty: the platform does not say.
    pub username: String,
    pub nick: Option<String>,
    pub roles: Vec<RoleId>,
    pub is_bot: bool,
    /// `None`: a guest, or one that the platform does not say.
    pub joined_at: Option<Timestamp>,
    /// Has not passed the guild's screening, and can have no roles yet.
    pub is_pending: bool,
}

#[derive(Deserialize)]
struct MemberBody {
    user: UserBody,
    nick: Option<String>,
    roles: Vec<RoleId>,
    joined_at: Option<Timestamp>,
    #[serde(default)]
    pending: bool,
}

#[derive(Deserialize)]
pub(crate) struct UserBody {
    pub(crate) id: ChatId,
    #[serde(default)]
    username: String,
    #[serde(default)]
    bot: bool,
}

/// A person's account.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "AccountBody")]
pub struct ChatUser {
    pub id: ChatId,
    /// The display name, or the user name of an account without one.
    pub name: String,
}

/// A member, of whom only the account is read.
#[derive(Deserialize)]
pub(crate) struct MemberAccount {
    pub(crate) user: ChatUser,
}

/// A member by their name in the guild: the nickname, or else that of the account.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "NamedBody")]
pub struct NamedMember {
    pub chat_id: ChatId,
    pub name: String,
}

#[derive(Deserialize)]
struct NamedBody {
    user: ChatUser,
    nick: Option<String>,
}

impl From<NamedBody> for NamedMember {
    fn from(NamedBody { user, nick }: NamedBody) -> Self {
        Self { chat_id: user.id, name: nick.unwrap_or(user.name) }
    }
}

/// A user as a guild sees them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownUser {
    pub user: ChatUser,
    pub is_member: bool,
}

#[derive(Deserialize)]
struct AccountBody {
    id: ChatId,
    username: String,
    global_name: Option<String>,
}

impl From<AccountBody> for ChatUser {
    fn from(account: AccountBody) -> Self {
        Self { id: account.id, name: account.global_name.unwrap_or(account.username) }
    }
}

/// The bot's application.
#[derive(Debug, Clone, Deserialize)]
pub struct Application {
    /// That of the bot too.
    pub id: ChatId,
    flags: u64,
    /// Hexadecimal; signs interactions.
    #[serde(default)]
    pub verify_key: String,
    interactions_endpoint_url: Option<String>,
    /// Where people may come back to after signing in. `None`: the platform does not say.
    pub redirect_uris: Option<Vec<String>>,
}

impl Application {
    /// `GATEWAY_GUILD_MEMBERS`, and the same for a bot in fewer than 100 guilds.
    const MEMBERS_INTENT: u64 = 1 << 14 | 1 << 15;

    /// Where interactions go; `None`: to the event stream.
    pub fn interactions_endpoint(&self) -> Option<&str> {
        self.interactions_endpoint_url.as_deref().filter(|url| !url.is_empty())
    }

    pub fn has_members_intent(&self) -> bool {
        self.flags & Self::MEMBERS_INTENT != 0
    }
}

/// The event stream, for the bot.
#[derive(Debug, Clone, Deserialize)]
pub struct Gateway {
    pub url: String,
    /// How many connections the platform recommends.
    pub shards: u32,
    pub session_start_limit: SessionStarts,
}

/// Sessions of the event stream that may be started.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct SessionStarts {
    pub remaining: u32,
    /// Milliseconds until there are more.
    pub reset_after: u64,
}

impl From<MemberBody> for ChatMember {
    fn from(member: MemberBody) -> Self {
        let MemberBody { user: UserBody { id, username, bot }, nick, roles, joined_at, pending } = member;
        Self { chat_id: id, username, nick, roles, is_bot: bot, joined_at, is_pending: pending }
    }
}

/// The fields to set. `None` leaves a field unchanged; `nick: Some(None)` removes the nickname.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct MemberUpdate {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roles: Option<Vec<RoleId>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nick: Option<Option<String>>,
}

/// The calls that change a member. The platform limits updates and role calls separately.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberCall {
    AddRole,
    RemoveRole,
    Update,
}

/// The change of one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemberChange {
    /// Leaves all other roles unchanged, as [`MemberChange::RemoveRole`] does.
    AddRole(RoleId),
    RemoveRole(RoleId),
    /// With a role list: replaces all roles.
    Update(MemberUpdate),
}

impl MemberChange {
    pub fn call(&self) -> MemberCall {
        match self {
            Self::AddRole(_) => MemberCall::AddRole,
            Self::RemoveRole(_) => MemberCall::RemoveRole,
            Self::Update(_) => MemberCall::Update,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ChatBan {
    /// As stored by the platform.
    #[serde(default)]
    pub reason: Option<String>,
}

impl ChatBan {
    /// Whether the ban has this reason: the platform stores its first characters, without surrounding blanks.
    pub fn was_for(&self, reason: &str) -> bool {
        let cut: String = reason.chars().take(MAX_REASON_CHARS).collect();
        self.reason.as_ref().is_some_and(|kept| kept.trim() == cut.trim())
    }
}

/// The guild's roles and the bot's highest position.
#[derive(Debug, Clone)]
pub struct GuildOverview {
    pub guild: GuildId,
    pub roles: Vec<ChatRole>,
    pub bot_position: i64,
    pub bot_permissions: Permissions,
}

/// Why a role cannot be granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RoleProblem {
    #[error("the role does not exist in the guild")]
    Unknown,
    #[error("the role is managed by an integration")]
    Managed,
    #[error("the role stands at or above the bot's highest role")]
    AboveBot,
    #[error("the role is not below the highest role of the person who gives or takes it")]
    AboveGiver,
    #[error("all members have this role")]
    Everyone,
    #[error(
        "the role has the permission {0}; an administrator of the guild can allow it by the setting `allowed_privileged_roles`"
    )]
    Privileged(&'static str),
    #[error(
        "whoever holds the role is staff; an administrator of the guild can allow it by the setting `allowed_privileged_roles`"
    )]
    MakesStaff,
}

impl RoleProblem {
    /// A stable word for programs.
    pub fn word(self) -> &'static str {
        match self {
            Self::Unknown => "unknown_role",
            Self::Managed => "role_managed",
            Self::AboveBot => "role_above_bot",
            Self::AboveGiver => "role_above_giver",
            Self::Everyone => "role_everyone",
            Self::Privileged(_) | Self::MakesStaff => "role_privileged",
        }
    }
}

impl ChatRole {
    /// Whether the guild lets Guildhall grant the role, whatever the hierarchy says.
    pub fn check_privileges(&self, grants: &Grants) -> Result<(), RoleProblem> {
        match self.permissions.privileged() {
            _ if grants.allow(self.id) => Ok(()),
            Some(permission) => Err(RoleProblem::Privileged(permission)),
            None if grants.make_staff(self.id) => Err(RoleProblem::MakesStaff),
            None => Ok(()),
        }
    }
}

impl GuildOverview {
    pub fn role(&self, id: RoleId) -> Option<&ChatRole> {
        self.roles.iter().find(|role| role.id == id)
    }

    /// Whether the role may be granted (docs/rules.md 5).
    pub fn grantable(&self, id: RoleId, grants: &Grants) -> Result<(), RoleProblem> {
        self.removable(id)?.check_privileges(grants)
    }

    /// The role, if the platform lets the bot grant and remove it. It refuses a whole update for one forbidden role.
    pub fn removable(&self, id: RoleId) -> Result<&ChatRole, RoleProblem> {
        let role = self.role(id).ok_or(RoleProblem::Unknown)?;
        if id.get() == self.guild.get() {
            return Err(RoleProblem::Everyone);
        }
        if role.managed {
            return Err(RoleProblem::Managed);
        }
        if role.position >= self.bot_position {
            return Err(RoleProblem::AboveBot);
        }
        Ok(role)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_user_has_the_display_name_or_else_the_user_name() {
        let name = |body| serde_json::from_value::<ChatUser>(body).unwrap().name;
        assert_eq!(name(json!({ "id": "7", "username": "ann", "global_name": "Ann" })), "Ann");
        assert_eq!(name(json!({ "id": "7", "username": "ann", "global_name": null })), "ann");
        assert_eq!(name(json!({ "id": "7", "username": "ann" })), "ann");
    }

    #[test]
    fn an_update_distinguishes_absent_from_null() {
        assert_eq!(json!(MemberUpdate::default()), json!({}));
        let taken_away = MemberUpdate { roles: Some(vec![]), nick: Some(None) };
        assert_eq!(json!(taken_away), json!({ "roles": [], "nick": null }));
    }
}
