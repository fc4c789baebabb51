//! The objects of the chat platform, as far as Guildhall uses them, in the platform's JSON.
//!
//! They are types of our own: twilight's require some twenty unused fields, so a platform change in any of them would
//! stop a sync. The tests check the simulator against twilight instead.

use entities::{ChannelId, ChatId, GuildId, RoleId};
use serde::{Deserialize, Deserializer, Serialize};

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
    #[serde(default)]
    pub permissions: Permissions,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "MemberBody")]
pub struct ChatMember {
    pub chat_id: ChatId,
    pub nick: Option<String>,
    pub roles: Vec<RoleId>,
    pub is_bot: bool,
}

#[derive(Deserialize)]
struct MemberBody {
    user: UserBody,
    nick: Option<String>,
    roles: Vec<RoleId>,
}

#[derive(Deserialize)]
pub(crate) struct UserBody {
    pub(crate) id: ChatId,
    #[serde(default)]
    bot: bool,
}

impl From<MemberBody> for ChatMember {
    fn from(member: MemberBody) -> Self {
        Self { chat_id: member.user.id, nick: member.nick, roles: member.roles, is_bot: member.user.bot }
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

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ChatChannel {
    pub id: ChannelId,
    #[serde(default)]
    pub topic: Option<String>,
    #[serde(default, rename = "permission_overwrites", deserialize_with = "overwrites")]
    pub(crate) overwrites: Vec<Overwrite>,
}

/// The viewers and writers of a private channel. Roles that no longer exist in the guild are skipped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Viewers {
    pub users: Vec<ChatId>,
    pub roles: Vec<RoleId>,
}

/// Whose permissions an [`Overwrite`] changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Principal {
    Role(RoleId),
    User(ChatId),
}

/// The permissions of a role or a user in one channel, overriding those elsewhere: sets of the platform's
/// permission bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(into = "OverwriteBody")]
pub struct Overwrite {
    pub of: Principal,
    pub allow: u64,
    pub deny: u64,
}

#[derive(Serialize, Deserialize)]
struct OverwriteBody {
    id: String,
    #[serde(rename = "type")]
    kind: u8,
    #[serde(default)]
    allow: Permissions,
    #[serde(default)]
    deny: Permissions,
}

const OVERWRITE_ROLE: u8 = 0;
const OVERWRITE_MEMBER: u8 = 1;

impl From<Overwrite> for OverwriteBody {
    fn from(overwrite: Overwrite) -> Self {
        let (id, kind) = match overwrite.of {
            Principal::Role(role) => (role.to_string(), OVERWRITE_ROLE),
            Principal::User(user) => (user.to_string(), OVERWRITE_MEMBER),
        };
        let [allow, deny] = [overwrite.allow, overwrite.deny].map(Permissions::from_bits);
        Self { id, kind, allow, deny }
    }
}

/// Overwrites of an unknown kind are skipped.
fn overwrites<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Overwrite>, D::Error> {
    let read = |body: OverwriteBody| {
        let of = match body.kind {
            OVERWRITE_ROLE => Principal::Role(body.id.parse().ok()?),
            OVERWRITE_MEMBER => Principal::User(body.id.parse().ok()?),
            _ => return None,
        };
        Some(Overwrite { of, allow: body.allow.bits(), deny: body.deny.bits() })
    };
    Ok(Vec::<OverwriteBody>::deserialize(deserializer)?.into_iter().filter_map(read).collect())
}

/// A text channel. Without overwrites it inherits its category's permissions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NewChannel {
    pub name: String,
    #[serde(rename = "parent_id", skip_serializing_if = "Option::is_none")]
    pub category: Option<ChannelId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    #[serde(rename = "permission_overwrites", skip_serializing_if = "Vec::is_empty")]
    pub overwrites: Vec<Overwrite>,
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
    #[error("everybody has this role")]
    Everyone,
}

impl GuildOverview {
    pub fn role(&self, id: RoleId) -> Option<&ChatRole> {
        self.roles.iter().find(|role| role.id == id)
    }

    /// Whether the bot may grant and remove the role. The platform refuses a whole update for one forbidden role.
    pub fn grantable(&self, id: RoleId) -> Result<(), RoleProblem> {
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
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_update_distinguishes_absent_from_null() {
        assert_eq!(json!(MemberUpdate::default()), json!({}));
        let taken_away = MemberUpdate { roles: Some(vec![]), nick: Some(None) };
        assert_eq!(json!(taken_away), json!({ "roles": [], "nick": null }));
    }

    #[test]
    fn overwrites_are_read_as_they_are_written() {
        let of =
            [Principal::Role(RoleId::try_from(7).unwrap()), Principal::User(ChatId::try_from(9).unwrap())];
        let overwrites = of.map(|of| Overwrite { of, allow: 1 << 50, deny: 1024 }).to_vec();
        let channel =
            NewChannel { name: "x".into(), category: None, topic: None, overwrites: overwrites.clone() };
        let mut sent = json!(channel);
        assert_eq!(sent["permission_overwrites"][0]["deny"], "1024");
        sent["id"] = json!("5");
        let read: ChatChannel = serde_json::from_value(sent).unwrap();
        assert_eq!(read.overwrites, overwrites);
    }
}
