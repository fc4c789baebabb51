//! Whether the platforms accept the credentials: one call to each.

use entities::{ChatId, GroupId, GuildId};

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

    /// Whether the bot's application has the privileged intent that reading members needs.
    pub async fn has_members_intent(&self) -> Result<bool> {
        self.chat.has_members_intent(no_guild()?).await
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
