//! The chat platform's wire client: Discord REST v10.
//!
//! Responses are read with small types of our own (`types.rs`): twilight's require some twenty unused fields, so a
//! platform change in any of them would stop a sync. The tests check the simulator against twilight instead.

mod access;
mod errors;
mod types;

use async_trait::async_trait;
use entities::{ChannelId, ChatId, GuildId, RoleId};
use http::HeaderName;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::Method;
use reqwest::header::{AUTHORIZATION, HeaderValue};
use runtime::CHAT_TOKEN;
use serde_json::json;
use tokio::sync::OnceCell;

pub(crate) use errors::classify;
use types::{BanBody, ChannelBody, MemberBody, RoleBody, UserBody, channel_request, member_request};

use crate::chat::MAX_REASON_CHARS;
use crate::chat::{
    ChatBan, ChatChannel, ChatMember, ChatPlatform, ChatRole, GuildOverview, MEMBERS_PER_PAGE, MemberCall,
    MemberChange, MemberUpdate, NewChannel, Overwrite, Viewers,
};
use crate::context::CallContext;
use crate::error::{Missing, PlatformError};
use crate::permissions::Permissions;
use crate::routes::chat as routes;
use crate::wire::CallPermit;
use crate::wire::{Call, Wire};

/// The bot is not in the guild, or may not see the requested object.
const MISSING_ACCESS: i64 = 50_001;
const AUDIT_REASON: HeaderName = HeaderName::from_static("x-audit-log-reason");

pub(crate) struct Discord {
    wire: Wire,
    base: String,
    /// Ready for the header. `None`: not configured.
    credential: Option<HeaderValue>,
    bot: OnceCell<ChatId>,
}

impl Discord {
    pub(crate) fn new(wire: Wire, base: String, token: Option<&str>) -> Result<Self, PlatformError> {
        let credential =
            token.map(|token| HeaderValue::from_str(&format!("Bot {}", token.trim()))).transpose();
        let mut credential = credential.map_err(|_| PlatformError::Unauthorized(CHAT_TOKEN))?;
        if let Some(value) = &mut credential {
            value.set_sensitive(true);
        }
        Ok(Self { wire, base, credential, bot: OnceCell::new() })
    }

    fn call(&self, method: Method, route: &'static str, path: &str) -> Result<Call, PlatformError> {
        let credential = self.credential.clone().ok_or(PlatformError::NotConfigured(CHAT_TOKEN))?;
        Ok(Call::new(method, route, format!("{}{path}", self.base)).header(AUTHORIZATION, credential))
    }

    /// A change, with its reason for the guild's audit log.
    fn change(
        &self,
        method: Method,
        route: &'static str,
        path: &str,
        reason: &str,
    ) -> Result<Call, PlatformError> {
        let call = self.call(method, route, path)?;
        let cut: String = reason.chars().take(MAX_REASON_CHARS).collect();
        // Percent-encoded text is always a valid header value; an empty reason sends no header.
        match HeaderValue::from_str(&utf8_percent_encode(&cut, NON_ALPHANUMERIC).to_string()) {
            Ok(value) if !cut.is_empty() => Ok(call.header(AUDIT_REASON, value)),
            _ => Ok(call),
        }
    }

    fn member_change(
        &self,
        guild: GuildId,
        chat: ChatId,
        change: &MemberChange,
        reason: &str,
    ) -> Result<Call, PlatformError> {
        let (route, path) = (member_route(change.call()), format!("/guilds/{guild}/members/{chat}"));
        match change {
            MemberChange::AddRole(role) => {
                self.change(Method::PUT, route, &format!("{path}/roles/{role}"), reason)
            }
            MemberChange::RemoveRole(role) => {
                self.change(Method::DELETE, route, &format!("{path}/roles/{role}"), reason)
            }
            MemberChange::Update(update) => {
                Ok(self.change(Method::PATCH, route, &path, reason)?.body(member_request(update)))
            }
        }
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

    async fn roles(&self, call: CallContext) -> Result<Vec<RoleBody>, PlatformError> {
        let request = self.call(Method::GET, routes::ROLES, &format!("/guilds/{}/roles", call.guild))?;
        self.wire.json(call, &request).await
    }

    async fn channel_bodies(&self, call: CallContext) -> Result<Vec<ChannelBody>, PlatformError> {
        let request =
            self.call(Method::GET, routes::CHANNELS, &format!("/guilds/{}/channels", call.guild))?;
        self.wire.json(call, &request).await
    }

    /// The bot's own user id; requested once per process.
    async fn bot(&self, context: CallContext) -> Result<ChatId, PlatformError> {
        let ask = async {
            let call = self.call(Method::GET, routes::BOT_USER, "/users/@me")?;
            Ok(self.wire.json::<UserBody>(context, &call).await?.id)
        };
        self.bot.get_or_try_init(|| ask).await.copied()
    }
}

fn member_route(kind: MemberCall) -> &'static str {
    match kind {
        MemberCall::AddRole => routes::ADD_ROLE,
        MemberCall::RemoveRole => routes::REMOVE_ROLE,
        MemberCall::Update => routes::UPDATE_MEMBER,
    }
}

#[async_trait]
impl ChatPlatform for Discord {
    async fn bot_user(&self, call: CallContext) -> Result<ChatId, PlatformError> {
        self.bot(call).await
    }

    async fn guild_roles(&self, call: CallContext) -> Result<Vec<ChatRole>, PlatformError> {
        Ok(self.roles(call).await?.into_iter().map(ChatRole::from).collect())
    }

    async fn guild_overview(&self, call: CallContext) -> Result<GuildOverview, PlatformError> {
        let bot = self.bot(call).await?;
        let roles = self.guild_roles(call).await?;
        let member = self.member(call, bot).await?.ok_or(PlatformError::NotFound(Missing::Guild))?;
        let held = |role: &&ChatRole| member.roles.contains(&role.id) || role.id.get() == call.guild.get();
        let held: Vec<&ChatRole> = roles.iter().filter(held).collect();
        let bot_position = held.iter().map(|role| role.position).max().unwrap_or(0);
        let bot_permissions =
            held.iter().fold(Permissions::default(), |all, role| all.with(role.permissions));
        Ok(GuildOverview { guild: call.guild, roles, bot_position, bot_permissions })
    }

    async fn member(&self, call: CallContext, chat: ChatId) -> Result<Option<ChatMember>, PlatformError> {
        let request =
            self.call(Method::GET, routes::MEMBER, &format!("/guilds/{}/members/{chat}", call.guild))?;
        match self.wire.json::<MemberBody>(call, &request).await {
            Ok(member) => Ok(Some(member.into())),
            Err(PlatformError::NotFound(Missing::Member | Missing::User)) => Ok(None),
            Err(error) => Err(self.members_refused(call, error).await),
        }
    }

    async fn members_page(
        &self,
        call: CallContext,
        after: Option<ChatId>,
        limit: u16,
    ) -> Result<Vec<ChatMember>, PlatformError> {
        let request = self
            .call(Method::GET, routes::MEMBERS, &format!("/guilds/{}/members", call.guild))?
            .query("limit", limit.clamp(1, MEMBERS_PER_PAGE).to_string())
            .query("after", after.map_or(0, ChatId::get).to_string());
        match self.wire.json::<Vec<MemberBody>>(call, &request).await {
            Ok(members) => Ok(members.into_iter().map(ChatMember::from).collect()),
            Err(error) => Err(self.members_refused(call, error).await),
        }
    }

    async fn reserve(&self, call: CallContext, kind: MemberCall) -> Result<CallPermit, PlatformError> {
        self.credential.as_ref().ok_or(PlatformError::NotConfigured(CHAT_TOKEN))?;
        self.wire.reserve(call, member_route(kind)).await
    }

    async fn change_member(
        &self,
        permit: CallPermit,
        chat: ChatId,
        change: MemberChange,
        reason: &str,
    ) -> Result<(), PlatformError> {
        let request = self.member_change(permit.context().guild, chat, &change, reason)?;
        self.wire.send_once(permit, &request).await.map(drop)
    }

    async fn update_member(
        &self,
        call: CallContext,
        chat: ChatId,
        update: MemberUpdate,
        reason: &str,
    ) -> Result<(), PlatformError> {
        let request = self.member_change(call.guild, chat, &MemberChange::Update(update), reason)?;
        self.wire.send(call, &request).await.map(drop)
    }

    async fn add_role(
        &self,
        call: CallContext,
        chat: ChatId,
        role: RoleId,
        reason: &str,
    ) -> Result<(), PlatformError> {
        let request = self.member_change(call.guild, chat, &MemberChange::AddRole(role), reason)?;
        self.wire.send(call, &request).await.map(drop)
    }

    async fn remove_role(
        &self,
        call: CallContext,
        chat: ChatId,
        role: RoleId,
        reason: &str,
    ) -> Result<(), PlatformError> {
        let request = self.member_change(call.guild, chat, &MemberChange::RemoveRole(role), reason)?;
        self.wire.send(call, &request).await.map(drop)
    }

    async fn find_ban(&self, call: CallContext, chat: ChatId) -> Result<Option<ChatBan>, PlatformError> {
        let path = format!("/guilds/{}/bans/{chat}", call.guild);
        let request = self.call(Method::GET, routes::READ_BAN, &path)?;
        match self.wire.json::<BanBody>(call, &request).await {
            Ok(ban) => Ok(Some(ban.into())),
            Err(PlatformError::NotFound(Missing::Ban | Missing::User | Missing::Member | Missing::Other)) => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    async fn ban(&self, call: CallContext, chat: ChatId, reason: &str) -> Result<(), PlatformError> {
        let path = format!("/guilds/{}/bans/{chat}", call.guild);
        let request = self.change(Method::PUT, routes::BAN, &path, reason)?.body(json!({}));
        self.wire.send(call, &request).await.map(drop)
    }

    async fn unban(&self, call: CallContext, chat: ChatId, reason: &str) -> Result<(), PlatformError> {
        let path = format!("/guilds/{}/bans/{chat}", call.guild);
        let request = self.change(Method::DELETE, routes::UNBAN, &path, reason)?;
        self.wire.send(call, &request).await.map(drop)
    }

    async fn private_access(
        &self,
        call: CallContext,
        category: Option<ChannelId>,
        viewers: Viewers,
    ) -> Result<Vec<Overwrite>, PlatformError> {
        let bot = self.bot(call).await?;
        let (roles, member) = (self.roles(call).await?, self.member(call, bot).await?);
        let member = member.ok_or(PlatformError::NotFound(Missing::Guild))?;
        let inherited = match category {
            Some(category) => {
                let channels = self.channel_bodies(call).await?;
                let found = channels.into_iter().find(|channel| channel.id == category);
                found.ok_or(PlatformError::NotFound(Missing::Channel))?.overwrites()
            }
            None => Vec::new(),
        };
        Ok(access::private(
            &access::Guild { id: call.guild, roles: &roles, bot: &member },
            &viewers,
            inherited,
        ))
    }

    async fn channels(&self, call: CallContext) -> Result<Vec<ChatChannel>, PlatformError> {
        Ok(self.channel_bodies(call).await?.into_iter().map(ChatChannel::from).collect())
    }

    async fn create_channel(
        &self,
        call: CallContext,
        channel: NewChannel,
        reason: &str,
    ) -> Result<ChatChannel, PlatformError> {
        let path = format!("/guilds/{}/channels", call.guild);
        let request =
            self.change(Method::POST, routes::CREATE_CHANNEL, &path, reason)?.body(channel_request(&channel));
        Ok(self.wire.json::<ChannelBody>(call, &request).await?.into())
    }
}
