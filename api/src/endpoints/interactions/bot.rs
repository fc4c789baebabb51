//! Checks whether the chat platform can be called for the guild.

use std::time::Duration;

use platforms::{Missing, PlatformError};

use crate::call::Call;
use crate::response::error::ApiError;

/// Timeout of the platform's answer whether the bot is in the guild.
const TIMEOUT: Duration = Duration::from_secs(3);
/// The platform's own error code for a guild without the bot.
const MISSING_ACCESS: i64 = 50_001;

pub(crate) async fn check_bot(call: &Call) -> Result<(), ApiError> {
    let roles = call.state.platforms.chat.guild_roles(call.platform());
    match tokio::time::timeout(TIMEOUT, roles).await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(
            PlatformError::NotFound(Missing::Guild) | PlatformError::Forbidden { code: MISSING_ACCESS, .. },
        )) => Err(ApiError::unavailable(
            "guild_not_reached",
            "the chat platform does not show the guild to the bot: is it a member?",
        )),
        Ok(Err(error)) => Err(error.into()),
        Err(_) => {
            Err(ApiError::unavailable("platform_unavailable", "the chat platform does not answer in time"))
        }
    }
}
