//! The channels of the chat platform in which the bot posts.

use entities::ChannelId;

use crate::endpoints::prelude::*;

/// A text channel of the guild in which the bot may post. `field` names it in a refusal.
pub(crate) async fn check_channel(call: &Call, field: &str, channel: ChannelId) -> Result<(), ApiError> {
    let channels = call.state.platforms.chat.text_channels(call.platform()).await?;
    let problem = match channels.into_iter().find(|known| known.id == channel) {
        None => "the guild has no text channel with this id".to_owned(),
        Some(known) => match known.lacks {
            Some(permission) => format!("the bot lacks the permission {permission} there"),
            None => return Ok(()),
        },
    };
    Err(ApiError::rule("channel_refused", format!("`{field}`: {problem}")))
}
