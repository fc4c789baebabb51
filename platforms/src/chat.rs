//! The chat platform as the rest of Guildhall sees it.
//!
//! The guild of every call is the one of its `CallContext`, so a call cannot be made for another guild than the one it
//! is paced and accounted for.

use async_trait::async_trait;
use entities::{ChannelId, ChatId, GuildId, RoleId};

use crate::context::CallContext;
use crate::error::PlatformError;
use crate::permissions::Permissions;
use crate::wire::CallPermit;

/// The most members one page holds.
pub const MEMBERS_PER_PAGE: u16 = 1000;
/// A nickname has at most this many characters (not bytes).
pub const MAX_NICK_CHARS: usize = 32;
/// The platform keeps this many characters of a reason.
pub(crate) const MAX_REASON_CHARS: usize = 512;

#[async_trait]
pub trait ChatPlatform: Send + Sync {
    /// The bot's own user id: that the platform takes the token.
    async fn bot_user(&self, call: CallContext) -> Result<ChatId, PlatformError>;

    /// All roles of the guild.
    async fn guild_roles(&self, call: CallContext) -> Result<Vec<ChatRole>, PlatformError>;

    /// All roles of the guild, and how high the bot stands among them.
    async fn guild_overview(&self, call: CallContext) -> Result<GuildOverview, PlatformError>;

    /// The position of the bot's highest role in the guild: it may grant what stands below.
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

    /// Sends one change with a permit reserved for its kind. A 429 is not repeated: what the change was computed from may
    /// be old by the end of the pause.
    async fn change_member(
        &self,
        permit: CallPermit,
        chat: ChatId,
        change: MemberChange,
        reason: &str,
    ) -> Result<(), PlatformError>;

    /// Sets what `update` names in one call. `reason` goes to the guild's audit log.
    async fn update_member(
        &self,
        call: CallContext,
        chat: ChatId,
        update: MemberUpdate,
        reason: &str,
    ) -> Result<(), PlatformError>;

    /// Granting a role that is held already succeeds.
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

    /// Bans the user, whether a member or not. Banning twice succeeds.
    async fn ban(&self, call: CallContext, chat: ChatId, reason: &str) -> Result<(), PlatformError>;

    /// `NotFound(Ban)` when there is no ban.
    async fn unban(&self, call: CallContext, chat: ChatId, reason: &str) -> Result<(), PlatformError>;

    /// What a channel of the category is to have for itself, so that these see it, the bot too, and whoever the
    /// category lets in; nobody else. `NotFound(Channel)` when there is no such category.
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
    /// Higher stands above lower.
    pub position: i64,
    /// Belongs to an integration: nobody can grant or remove it by hand.
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

/// What to set. `None` leaves as it is; `nick: Some(None)` takes the nickname away.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemberUpdate {
    pub roles: Option<Vec<RoleId>>,
    pub nick: Option<Option<String>>,
}

/// The calls that change a member. The platform limits updates and role calls apart from each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberCall {
    AddRole,
    RemoveRole,
    Update,
}

/// One call's worth of change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemberChange {
    /// Leaves all other roles as they are, as [`MemberChange::RemoveRole`] does.
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
    /// As the platform keeps it.
    pub reason: Option<String>,
}

impl ChatBan {
    /// Whether it was made with this reason: the platform keeps the first of its characters, and no blanks around them.
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

/// Who is to see and write in a private channel. Roles that the guild does not have any more are passed over.
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

/// What a role or a user may and may not do in one channel, whatever holds elsewhere: sets of the platform's
/// permission bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overwrite {
    pub of: Principal,
    pub allow: u64,
    pub deny: u64,
}

/// A text channel. Without overwrites it is as open as its category.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewChannel {
    pub name: String,
    pub category: Option<ChannelId>,
    pub topic: Option<String>,
    pub overwrites: Vec<Overwrite>,
}

/// The guild's roles and the bot's place among them.
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

    /// Whether the bot may grant and remove the role. The platform refuses a whole update for one role it may not.
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
