//! The chat platform's interface for the rest of Guildhall.
//!
//! The guild of every call is that of its `CallContext`, so a call always counts for the guild it is
//! paced for.

use async_trait::async_trait;
use entities::{ChannelId, ChatId, GuildId, RoleId};

use crate::context::CallContext;
use crate::error::PlatformError;
use crate::permissions::Permissions;
use crate::wire::CallPermit;

/// Maximum members per page.
pub const MEMBERS_PER_PAGE: u16 = 1000;
/// A nickname has at most this many characters (not bytes).
pub const MAX_NICK_CHARS: usize = 32;
/// The platform keeps this many characters of a reason.
pub(crate) const MAX_REASON_CHARS: usize = 512;

#[async_trait]
pub trait ChatPlatform: Send + Sync {
    /// The bot's own user id: proves that the platform accepts the token.
    async fn bot_user(&self, call: CallContext) -> Result<ChatId, PlatformError>;

    /// All roles of the guild.
    async fn guild_roles(&self, call: CallContext) -> Result<Vec<ChatRole>, PlatformError>;

    /// All roles of the guild, and the bot's highest position.
    async fn guild_overview(&self, call: CallContext) -> Result<GuildOverview, PlatformError>;

    /// The position of the bot's highest role in the guild: the bot may grant the roles below it.
    async fn bot_position(&self, call: CallContext) -> Result<i64, PlatformError> {
        Ok(self.guild_overview(call).await?.bot_position)
    }

    /// `None` when the user is not in the guild.
    async fn member(&self, call: CallContext, chat: ChatId) -> Result<Option<ChatMember>, PlatformError>;

    /// Members by ascending id, those after `after`, at most `limit` (1 to 1,000). Fewer than `limit`: the last page.
    async fn members_page(
        &self,
        call: CallContext,
        after: Option<ChatId>,
        limit: u16,
    ) -> Result<Vec<ChatMember>, PlatformError>;

    /// Waits for the permit of one call that changes a member. Safe to drop while it waits.
    async fn reserve(&self, call: CallContext, kind: MemberCall) -> Result<CallPermit, PlatformError>;

    /// Sends one change with a permit reserved for its kind. A 429 is not retried: the inputs of the change may
    /// be stale after the pause.
    async fn change_member(
        &self,
        permit: CallPermit,
        chat: ChatId,
        change: MemberChange,
        reason: &str,
    ) -> Result<(), PlatformError>;

    /// Sets the fields of `update` in one call. `reason` goes to the guild's audit log.
    async fn update_member(
        &self,
        call: CallContext,
        chat: ChatId,
        update: MemberUpdate,
        reason: &str,
    ) -> Result<(), PlatformError>;

    /// Granting a role that is already held succeeds.
    async fn add_role(
        &self,
        call: CallContext,
        chat: ChatId,
        role: RoleId,
        reason: &str,
    ) -> Result<(), PlatformError>;

    /// Removing a role that is not held succeeds.
    async fn remove_role(
        &self,
        call: CallContext,
        chat: ChatId,
        role: RoleId,
        reason: &str,
    ) -> Result<(), PlatformError>;

    /// The user's ban; `None` when there is none.
    async fn find_ban(&self, call: CallContext, chat: ChatId) -> Result<Option<ChatBan>, PlatformError>;

    /// Bans the user, member or not. Banning twice succeeds.
    async fn ban(&self, call: CallContext, chat: ChatId, reason: &str) -> Result<(), PlatformError>;

    /// `NotFound(Ban)` when there is no ban.
    async fn unban(&self, call: CallContext, chat: ChatId, reason: &str) -> Result<(), PlatformError>;

    /// The overwrites of a channel in the category that make it visible to these viewers, the bot and those the
    /// category admits, and to no others. `NotFound(Channel)` when there is no such category.
    async fn private_access(
        &self,
        call: CallContext,
        category: Option<ChannelId>,
        viewers: Viewers,
    ) -> Result<Vec<Overwrite>, PlatformError>;

    async fn channels(&self, call: CallContext) -> Result<Vec<ChatChannel>, PlatformError>;

    async fn create_channel(
        &self,
        call: CallContext,
        channel: NewChannel,
        reason: &str,
    ) -> Result<ChatChannel, PlatformError>;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatRole {
    pub id: RoleId,
    pub name: String,
    /// 0xRRGGBB, 0 for none.
    pub color: u32,
    /// A higher position ranks above a lower one.
    pub position: i64,
    /// Managed by an integration: cannot be granted or removed on request.
    pub managed: bool,
    pub permissions: Permissions,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatMember {
    pub chat_id: ChatId,
    pub nick: Option<String>,
    pub roles: Vec<RoleId>,
    pub is_bot: bool,
}

/// The fields to set. `None` leaves a field unchanged; `nick: Some(None)` removes the nickname.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemberUpdate {
    pub roles: Option<Vec<RoleId>>,
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

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatBan {
    /// As stored by the platform.
    pub reason: Option<String>,
}

impl ChatBan {
    /// Whether the ban has this reason: the platform stores its first characters, without surrounding blanks.
    pub fn was_for(&self, reason: &str) -> bool {
        let cut: String = reason.chars().take(MAX_REASON_CHARS).collect();
        self.reason.as_ref().is_some_and(|kept| kept.trim() == cut.trim())
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatChannel {
    pub id: ChannelId,
    pub name: String,
    pub category: Option<ChannelId>,
    pub topic: Option<String>,
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overwrite {
    pub of: Principal,
    pub allow: u64,
    pub deny: u64,
}

/// A text channel. Without overwrites it inherits its category's permissions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewChannel {
    pub name: String,
    pub category: Option<ChannelId>,
    pub topic: Option<String>,
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
