//! The guild itself, and one member of it.

use entities::ChatId;
use reqwest::Method;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::ChatPlatform;
use crate::chat::{ChatMember, ChatUser, KnownUser, MemberAccount, NamedMember};
use crate::context::{CallContext, Priority};
use crate::error::{Missing, PlatformError, Result};
use crate::guild_access::{AccessMember, GuildAccess, GuildBody};
use crate::routes::chat as routes;
use crate::wire::Request;

/// A member, of whom only the avatar is read.
#[derive(Deserialize)]
struct PicturedMember {
    user: PicturedUser,
}

#[derive(Deserialize)]
struct PicturedUser {
    /// Names the file of the avatar.
    #[serde(default)]
    avatar: Option<String>,
}

impl ChatPlatform {
    /// A read of a guild. That the bot is not there is cached for calls with a waiting caller.
    pub(super) async fn read<T: DeserializeOwned>(&self, call: CallContext, request: &Request) -> Result<T> {
        if call.priority == Priority::Interactive
            && let Some(refusal) = self.absent.known(call.guild)
        {
            return Err(refusal);
        }
        let read = self.wire.json(call, request).await;
        if let Err(refusal) = &read {
            self.absent.note(call.guild, request.route, refusal);
        }
        read
    }

    /// `None` when the user is not in the guild.
    pub async fn member(&self, call: CallContext, chat: ChatId) -> Result<Option<ChatMember>> {
        self.read_member(call, chat).await
    }

    /// `None` when the platform knows no such user. A second call for a user who is not in the guild.
    pub async fn known_user(&self, call: CallContext, chat: ChatId) -> Result<Option<KnownUser>> {
        let known = |user, is_member| Ok(Some(KnownUser { user, is_member }));
        match self.member_body::<MemberAccount>(call, chat).await {
            Ok(member) => return known(member.user, true),
            Err(PlatformError::NotFound(Missing::Member)) => {}
            Err(PlatformError::NotFound(Missing::User)) => return Ok(None),
            Err(error) => return Err(self.members_refused(call, error).await),
        }
        let request = self.request(Method::GET, routes::USER, &format!("/users/{chat}"))?;
        match self.wire.json::<ChatUser>(call, &request).await {
            Ok(user) => known(user, false),
            Err(PlatformError::NotFound(Missing::User)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Members whose user name or nickname begins with the text; at most `limit`, which is 1 to 1,000.
    pub async fn members_named(&self, call: CallContext, text: &str, limit: u16) -> Result<Vec<NamedMember>> {
        let path = format!("/guilds/{}/members/search", call.guild);
        let request = self.request(Method::GET, routes::SEARCH_MEMBERS, &path)?;
        self.read(call, &request.query("query", text).query("limit", limit.to_string())).await
    }

    /// The user's permissions in the guild; `None` for a user who is not in it. Two calls.
    pub async fn guild_access(&self, call: CallContext, user: ChatId) -> Result<Option<GuildAccess>> {
        let Some(member) = self.read_member::<AccessMember>(call, user).await? else { return Ok(None) };
        let guild = self.guild(call).await?;
        Ok(Some(GuildAccess::new(call.guild, guild, member)))
    }

    /// The guild's name and its owner.
    pub async fn guild_owner(&self, call: CallContext) -> Result<(String, ChatId)> {
        let GuildBody { name, owner_id, .. } = self.guild(call).await?;
        Ok((name, owner_id))
    }

    /// The name of the file of a member's avatar; `None` without one.
    pub(crate) async fn avatar(&self, call: CallContext, user: ChatId) -> Result<Option<String>> {
        let member = self.read_member::<PicturedMember>(call, user).await?;
        Ok(member.and_then(|member| member.user.avatar))
    }

    /// The same of the guild's icon.
    pub(crate) async fn icon(&self, call: CallContext) -> Result<Option<String>> {
        Ok(self.guild(call).await?.icon)
    }

    async fn guild(&self, call: CallContext) -> Result<GuildBody> {
        let request = self.request(Method::GET, routes::GUILD, &format!("/guilds/{}", call.guild))?;
        self.read(call, &request).await
    }

    async fn read_member<T: DeserializeOwned>(&self, call: CallContext, chat: ChatId) -> Result<Option<T>> {
        match self.member_body(call, chat).await {
            Ok(member) => Ok(Some(member)),
            Err(PlatformError::NotFound(Missing::Member | Missing::User)) => Ok(None),
            Err(error) => Err(self.members_refused(call, error).await),
        }
    }

    async fn member_body<T: DeserializeOwned>(&self, call: CallContext, chat: ChatId) -> Result<T> {
        let path = format!("/guilds/{}/members/{chat}", call.guild);
        self.read(call, &self.request(Method::GET, routes::MEMBER, &path)?).await
    }
}
