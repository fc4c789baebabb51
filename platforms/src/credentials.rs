//! Whether the platforms accept the credentials: one call to each.

use entities::{ChatId, GroupId, GuildId, Timestamp};
use serde_json::Value;

use crate::chat::{Application, Gateway};
use crate::config::Platforms;
use crate::context::CallContext;
use crate::error::{PlatformError, Result};
use crate::permissions::Permissions;

/// The guild of calls that concern none; any id will do.
const NO_GUILD: i64 = 1;
/// Found or not: either answer shows that the key was accepted.
const ANY_GROUP: i64 = 7;

impl Platforms {
    /// The bot, if the chat platform accepts the token.
    pub async fn check_chat_token(&self) -> Result<ChatId> {
        self.chat.bot_user(no_guild()?).await
    }

    /// The URL that invites the bot to a guild, with only the permissions that it needs.
    pub fn invitation(bot: ChatId, guild: GuildId) -> String {
        let all = Permissions::NEEDED.into_iter().fold(Permissions::default(), |all, (one, _)| all.with(one));
        // The id of a bot is the id of its application.
        let (bot, needed) = (bot.get(), String::from(all));
        format!(
            "https://discord.com/oauth2/authorize?client_id={bot}&scope=bot&permissions={needed}&guild_id={guild}"
        )
    }

    /// What the chat platform takes for the time, in whole seconds; `None`: it does not say.
    pub async fn chat_time(&self) -> Result<Option<Timestamp>> {
        self.chat.time(no_guild()?).await
    }

    pub async fn application(&self) -> Result<Application> {
        self.chat.application(no_guild()?).await
    }

    /// Where the event stream is, and how many sessions may still be started.
    pub async fn gateway(&self) -> Result<Gateway> {
        self.chat.gateway(no_guild()?).await
    }

    /// The commands that people see, as the platform has them.
    pub async fn chat_commands(&self, application: ChatId) -> Result<Vec<Value>> {
        self.chat.commands(no_guild()?, application).await
    }

    /// Replaces all of them.
    pub async fn put_chat_commands(&self, application: ChatId, commands: Value) -> Result<()> {
        self.chat.put_commands(no_guild()?, application, commands).await
    }

    /// An error unless the game platform accepts the key.
    pub async fn check_play_key(&self) -> Result<()> {
        let group = GroupId::try_from(ANY_GROUP).map_err(invalid)?;
        match self.play.group_roles(no_guild()?, group).await {
            Ok(_) | Err(PlatformError::NotFound(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

fn no_guild() -> Result<CallContext> {
    GuildId::try_from(NO_GUILD).map(CallContext::interactive).map_err(invalid)
}

fn invalid(error: impl std::fmt::Display) -> PlatformError {
    PlatformError::Invalid { code: 0, message: error.to_string() }
}
