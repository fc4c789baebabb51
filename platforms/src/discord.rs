//! The chat platform's wire client: Discord REST v10.

mod absent;
mod access;
mod application;
mod ban_log;
mod errors;
mod guild;
mod interactions;
mod messages;
mod posting;

use entities::{ChannelId, ChatId, GuildId, RoleId};
use http::HeaderName;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::Method;
use reqwest::header::{AUTHORIZATION, HeaderValue};
use runtime::CHAT_TOKEN;
use serde_json::json;
use tokio::sync::OnceCell;

use absent::Absent;
pub use ban_log::BanDeed;
pub(crate) use errors::classify;
pub use messages::{Delivery, Embed, MAX_EMBED_CHARS, MAX_EMBEDS};
pub use posting::TextChannel;

use crate::channel::{ChatChannel, NewChannel, Overwrite, Viewers};
use crate::chat::{
    ChatBan, ChatMember, ChatRole, GuildOverview, MAX_REASON_CHARS, MEMBERS_PER_PAGE, MemberCall,
    MemberChange, MemberUpdate, UserBody,
};
use crate::context::CallContext;
use crate::error::{MISSING_ACCESS, Missing, PlatformError, Result};
use crate::permissions::Permissions;
use crate::routes::chat as routes;
use crate::wire::{CallPermit, Request, Standing, Wire, credential};

const AUDIT_REASON: HeaderName = HeaderName::from_static("x-audit-log-reason");
const TEXT_CHANNEL: u8 = 0;

/// The guild of every call is that of its `CallContext`, so a call always counts for the guild it is paced for.
pub struct ChatPlatform {
    wire: Wire,
    base: String,
    /// Ready for the header. `None`: not configured.
    credential: Option<HeaderValue>,
    bot: OnceCell<ChatId>,
    absent: Absent,
}

/// How calls are made.
impl ChatPlatform {
    pub(crate) fn new(wire: Wire, base: String, token: Option<&str>) -> Result<Self> {
        let credential = credential(token.map(|token| format!("Bot {}", token.trim())), CHAT_TOKEN)?;
        Ok(Self { wire, base, credential, bot: OnceCell::new(), absent: Absent::default() })
    }

    fn request(&self, method: Method, route: &'static str, path: &str) -> Result<Request> {
        let credential = self.credential.clone().ok_or(PlatformError::NotConfigured(CHAT_TOKEN))?;
        Ok(Request::new(method, route, format!("{}{path}", self.base)).header(AUTHORIZATION, credential))
    }

    /// A change, with its reason for the guild's audit log.
    fn change(&self, method: Method, route: &'static str, path: &str, reason: &str) -> Result<Request> {
        let request = self.request(method, route, path)?;
        let cut: String = reason.chars().take(MAX_REASON_CHARS).collect();
        // Percent-encoded text is always a valid header value; an empty reason sends no header.
        match HeaderValue::from_str(&utf8_percent_encode(&cut, NON_ALPHANUMERIC).to_string()) {
            Ok(value) if !cut.is_empty() => Ok(request.header(AUDIT_REASON, value)),
            _ => Ok(request),
        }
    }

    fn member_change(
        &self,
        guild: GuildId,
        chat: ChatId,
        change: &MemberChange,
        reason: &str,
    ) -> Result<Request> {
        let (route, path) = (member_route(change.call()), format!("/guilds/{guild}/members/{chat}"));
        match change {
            MemberChange::AddRole(role) => {
                self.change(Method::PUT, route, &format!("{path}/roles/{role}"), reason)
            }
            MemberChange::RemoveRole(role) => {
                self.change(Method::DELETE, route, &format!("{path}/roles/{role}"), reason)
            }
            MemberChange::Update(update) => {
                Ok(self.change(Method::PATCH, route, &path, reason)?.body(json!(update)))
            }
        }
    }

    async fn change_at_once(
        &self,
        call: CallContext,
        chat: ChatId,
        change: MemberChange,
        reason: &str,
    ) -> Result<()> {
        let request = self.member_change(call.guild, chat, &change, reason)?;
        self.wire.send(call, &request).await.map(drop)
    }

    /// The platform responds alike when the bot is not in the guild and when its application may not see members: the
    /// guild's roles distinguish the two.
    async fn members_refused(&self, call: CallContext, error: PlatformError) -> PlatformError {
        let missing_access = matches!(error, PlatformError::Forbidden { code: MISSING_ACCESS, .. });
        if missing_access && self.guild_roles(call).await.is_ok() {
            return PlatformError::MembersIntentOff;
        }
        error
    }

    /// The bot's own member of the guild.
    async fn bot(&self, call: CallContext) -> Result<ChatMember> {
        let id = self.bot_user(call).await?;
        self.member(call, id).await?.ok_or(PlatformError::NotFound(Missing::Guild))
    }
}

fn member_route(kind: MemberCall) -> &'static str {
    match kind {
        MemberCall::AddRole => routes::ADD_ROLE,
        MemberCall::RemoveRole => routes::REMOVE_ROLE,
        MemberCall::Update => routes::UPDATE_MEMBER,
    }
}

/// The calls.
impl ChatPlatform {
    /// Whether there is a bot's token, right or wrong.
    pub fn is_configured(&self) -> bool {
        self.credential.is_some()
    }

    /// The budget and the last failures, for operators. Calls nothing.
    pub async fn standing(&self) -> Standing {
        self.wire.standing(self.is_configured()).await
    }

    /// The bot's own user id: proves that the platform accepts the token. Requested once per process.
    pub async fn bot_user(&self, call: CallContext) -> Result<ChatId> {
        let ask = async {
            let request = self.request(Method::GET, routes::CURRENT_USER, "/users/@me")?;
            Ok(self.wire.json::<UserBody>(call, &request).await?.id)
        };
        self.bot.get_or_try_init(|| ask).await.copied()
    }

    /// All roles of the guild.
    pub async fn guild_roles(&self, call: CallContext) -> Result<Vec<ChatRole>> {
        let request = self.request(Method::GET, routes::ROLES, &format!("/guilds/{}/roles", call.guild))?;
        self.read(call, &request).await
    }

    /// All roles of the guild, and the bot's highest position.
    pub async fn guild_overview(&self, call: CallContext) -> Result<GuildOverview> {
        let roles = self.guild_roles(call).await?;
        let bot = self.bot(call).await?;
        let held = |role: &&ChatRole| bot.roles.contains(&role.id) || role.id.get() == call.guild.get();
        let held: Vec<&ChatRole> = roles.iter().filter(held).collect();
        let bot_position = held.iter().map(|role| role.position).max().unwrap_or(0);
        let bot_permissions =
            held.iter().fold(Permissions::default(), |all, role| all.with(role.permissions));
        Ok(GuildOverview { guild: call.guild, roles, bot_position, bot_permissions })
    }

    /// Members by ascending id, those after `after`, at most `limit` (1 to 1,000). Fewer than `limit`: the last page.
    pub async fn members_page(
        &self,
        call: CallContext,
        after: Option<ChatId>,
        limit: u16,
    ) -> Result<Vec<ChatMember>> {
        let request = self
            .request(Method::GET, routes::MEMBERS, &format!("/guilds/{}/members", call.guild))?
            .query("limit", limit.clamp(1, MEMBERS_PER_PAGE).to_string())
            .query("after", after.map_or(0, ChatId::get).to_string());
        match self.read(call, &request).await {
            Ok(members) => Ok(members),
            Err(error) => Err(self.members_refused(call, error).await),
        }
    }

    /// Waits for the permit of one call that changes a member. Safe to drop while it waits.
    pub async fn reserve(&self, call: CallContext, kind: MemberCall) -> Result<CallPermit> {
        self.credential.as_ref().ok_or(PlatformError::NotConfigured(CHAT_TOKEN))?;
        self.wire.reserve(call, member_route(kind)).await
    }

    /// Sends one change with a permit reserved for its kind. A 429 is not retried: the inputs of the change may
    /// be stale after the pause.
    pub async fn change_member(
        &self,
        permit: CallPermit,
        chat: ChatId,
        change: MemberChange,
        reason: &str,
    ) -> Result<()> {
        let request = self.member_change(permit.context().guild, chat, &change, reason)?;
        self.wire.send_once(permit, &request).await.map(drop)
    }

    /// Sets the fields of `update` in one call. `reason` goes to the guild's audit log.
    pub async fn update_member(
        &self,
        call: CallContext,
        chat: ChatId,
        update: MemberUpdate,
        reason: &str,
    ) -> Result<()> {
        self.change_at_once(call, chat, MemberChange::Update(update), reason).await
    }

    /// Granting a role that is already held succeeds.
    pub async fn add_role(&self, call: CallContext, chat: ChatId, role: RoleId, reason: &str) -> Result<()> {
        self.change_at_once(call, chat, MemberChange::AddRole(role), reason).await
    }

    /// Removing a role that is not held succeeds.
    pub async fn remove_role(
        &self,
        call: CallContext,
        chat: ChatId,
        role: RoleId,
        reason: &str,
    ) -> Result<()> {
        self.change_at_once(call, chat, MemberChange::RemoveRole(role), reason).await
    }

    /// The user's ban; `None` when there is none.
    pub async fn find_ban(&self, call: CallContext, chat: ChatId) -> Result<Option<ChatBan>> {
        let request = self.request(Method::GET, routes::READ_BAN, &ban_path(call, chat))?;
        match self.wire.json(call, &request).await {
            Ok(ban) => Ok(Some(ban)),
            Err(PlatformError::NotFound(Missing::Ban | Missing::User | Missing::Member | Missing::Other)) => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Bans the user, member or not. Banning twice succeeds.
    pub async fn ban(&self, call: CallContext, chat: ChatId, reason: &str) -> Result<()> {
        let request = self.change(Method::PUT, routes::BAN, &ban_path(call, chat), reason)?.body(json!({}));
        self.wire.send(call, &request).await.map(drop)
    }

    /// `NotFound(Ban)` when there is no ban.
    pub async fn unban(&self, call: CallContext, chat: ChatId, reason: &str) -> Result<()> {
        let request = self.change(Method::DELETE, routes::UNBAN, &ban_path(call, chat), reason)?;
        self.wire.send(call, &request).await.map(drop)
    }

    /// The overwrites of a channel in the category that make it visible to these viewers, the bot and those the
    /// category admits, and to no others. `NotFound(Channel)` when there is no such category.
    pub async fn private_access(
        &self,
        call: CallContext,
        category: Option<ChannelId>,
        viewers: Viewers,
    ) -> Result<Vec<Overwrite>> {
        let (roles, bot) = (self.guild_roles(call).await?, self.bot(call).await?);
        let inherited = match category {
            Some(category) => {
                let found = self.channels(call).await?.into_iter().find(|channel| channel.id == category);
                found.ok_or(PlatformError::NotFound(Missing::Channel))?.overwrites
            }
            None => Vec::new(),
        };
        Ok(access::private(&access::Guild { id: call.guild, roles: &roles, bot: &bot }, &viewers, inherited))
    }

    pub async fn channels(&self, call: CallContext) -> Result<Vec<ChatChannel>> {
        let request = self.request(Method::GET, routes::CHANNELS, &channels_path(call))?;
        self.read(call, &request).await
    }

    pub async fn create_channel(
        &self,
        call: CallContext,
        channel: NewChannel,
        reason: &str,
    ) -> Result<ChatChannel> {
        let mut body = json!(channel);
        body["type"] = json!(TEXT_CHANNEL);
        let request = self.change(Method::POST, routes::CREATE_CHANNEL, &channels_path(call), reason)?;
        self.wire.json(call, &request.body(body)).await
    }
}

fn ban_path(call: CallContext, chat: ChatId) -> String {
    format!("/guilds/{}/bans/{chat}", call.guild)
}

fn channels_path(call: CallContext) -> String {
    format!("/guilds/{}/channels", call.guild)
}
