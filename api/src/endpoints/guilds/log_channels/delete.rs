//! DELETE /guilds/:guildId/log-channels/:channelId (docs/rules.md 15)

use entities::{ChannelId, log_channel};

use crate::endpoints::guilds::log_channels::record::Noted;
use crate::endpoints::prelude::*;

pub(crate) fn operation() -> Operation {
    Operation::new("deleteLogChannel", "Post no more news in a channel")
        .about("What was posted stays there.")
        .message("log channel removed")
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let channel: ChannelId = call.path("channelId")?;
    let mut work = UnitOfWork::begin(&call).await?;
    let removed = log_channel::delete(work.tx(), call.guild(), channel).await?.or_not_found("log channel")?;
    work.audit("log_channels.delete", channel, json!({ "before": Noted::from(&removed) }));
    work.commit(Reply::message("log channel removed")).await
}
