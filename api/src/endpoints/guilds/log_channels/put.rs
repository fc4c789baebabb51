//! PUT /guilds/:guildId/log-channels/:channelId (docs/rules.md 15)

use entities::{ChannelId, log_channel};

use crate::endpoints::audit;
use crate::endpoints::guilds::log_channels::channel::check_channel;
use crate::endpoints::guilds::log_channels::record::{LogChannel, NewsList, Noted, chosen};
use crate::endpoints::prelude::*;

request! {
    pub(crate) struct LogChannelRequest {
        /// What is posted there: at least one kind.
        news: NewsList,
        /// If absent: true. Off: nothing is posted. What happens meanwhile is not posted later.
        #[example(true)]
        enabled: Option<bool>,
    }
}

pub(crate) fn operation() -> Operation {
    Operation::new("putLogChannel", "Have news posted in a channel, or change which")
        .about("What happens from now on is posted, if the bot may post there.")
        .body::<LogChannelRequest>()
        .data::<LogChannel>()
        .message("log channel set")
        .refuses(422, &["channel_refused", "no_news", "too_many"])
}

pub(crate) async fn handle(call: Call) -> Result<Reply, ApiError> {
    let channel: ChannelId = call.path("channelId")?;
    let LogChannelRequest { news, enabled } = call.body()?;
    let (news, on) = (chosen(&news)?, enabled.unwrap_or(true));
    if on {
        check_channel(&call, "channel_id", channel).await?;
    }
    let mut work = UnitOfWork::begin(&call).await?;
    let before = log_channel::find_for_update(work.tx(), call.guild(), channel).await?;
    if before.is_none() {
        call.room_for(work.tx(), Cap::LogChannels, 1).await?;
    }
    let after = log_channel::put(work.tx(), (call.guild(), channel), &news, on, work.now()).await?;
    let changes = match &before {
        None => Some(json!({ "after": Noted::from(&after) })),
        Some(before) => audit::changes(&Noted::from(before), &Noted::from(&after))?,
    };
    let reply = Reply::data(&LogChannel::from(&after))?;
    let Some(changes) = changes else {
        return Ok(reply.with_message("nothing to change: the log channel is like that already"));
    };
    work.audit("log_channels.put", channel, changes);
    work.commit(reply.with_message("log channel set")).await
}
