//! GET /guilds/:guildId/log-channels (docs/rules.md 15)

use entities::log_channel;

use crate::endpoints::guilds::log_channels::record::LogChannel;
use crate::endpoints::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct LogChannels {
    channels: Vec<LogChannel>,
}

pub(crate) fn operation() -> Operation {
    Operation::new("listLogChannels", "Log channels, by their ids").data::<LogChannels>()
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let rows = log_channel::list(call.read(), call.guild()).await?;
    Reply::data(&LogChannels { channels: rows.iter().map(LogChannel::from).collect() })
}
