//! Checks whether the chat platform can be called for the guild.

use std::time::Duration;

use crate::call::Call;
use crate::response::error::ApiError;

/// Timeout of the platform's answer whether the bot is in the guild.
const TIMEOUT: Duration = Duration::from_secs(3);

pub(crate) async fn check_bot(call: &Call) -> Result<(), ApiError> {
    let roles = call.state.platforms.chat.guild_roles(call.platform());
    match tokio::time::timeout(TIMEOUT, roles).await {
        Ok(roles) => roles.map(drop).map_err(ApiError::from),
        Err(_) => {
            Err(ApiError::unavailable("platform_unavailable", "the chat platform does not answer in time"))
        }
    }
}
