//! Log channels (docs/rules.md 15): the job that posts a message of news, and the pass that makes these jobs.
//!
//! A channel has one open job, which posts what the log has when it runs, so news that come together stand in one message. A
//! scheduler calls [`pass_on`] (`scheduler/src/audit_log.rs`); the run is `worker/src/post_news.rs`.

use std::time::Duration;

use entities::audit_chain::log;
use entities::audit_entry::{self, Actor};
use entities::job::Class;
use entities::log_channel::{self, Model, POST_NEWS, State};
use entities::{AuditId, ChannelId, GuildId};
use queue::{Draft, Payload, Queue, QueueError};
use runtime::{Context, UnitOfWork};
use serde::{Deserialize, Serialize};

/// Entries read for a message.
pub const ENTRIES_PER_PASS: u64 = 500;

/// Posts the next message of a channel.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PostNews {
    pub guild: GuildId,
    pub channel: ChannelId,
}

impl Payload for PostNews {
    const KIND: &'static str = POST_NEWS;
    const CLASS: Class = Class::Delivery;
    /// The platform's pauses of a minute are waited out in a run.
    const TIME_LIMIT: Duration = Duration::from_secs(180);
}

/// What of the log comes next in a channel.
pub struct Part {
    /// At most as many as a message takes.
    pub news: Vec<audit_entry::Model>,
    /// Position and id of the last entry that is done when these are posted.
    pub through: (i64, AuditId),
}

/// `until`: the last entry that the part may have. `None`: the log has not grown.
pub fn next_part(
    channel: &Model,
    entries: Vec<audit_entry::Model>,
    most: usize,
    until: Option<AuditId>,
) -> Option<Part> {
    let (mut news, mut through) = (Vec::new(), None);
    for entry in entries.into_iter().take_while(|entry| until.is_none_or(|until| entry.audit_id <= until)) {
        let place = (entry.position.unwrap_or(channel.position), entry.audit_id);
        if channel.takes(&entry) {
            if news.len() == most {
                break;
            }
            news.push(entry);
        }
        through = Some(place);
    }
    through.map(|through| Part { news, through })
}

/// Enqueues a job for each channel with news. A pass that fails midway is done again by the next.
pub async fn pass_on(context: &Context, queue: &Queue) -> Result<(), QueueError> {
    for (guild, channel) in log_channel::behind(context.database.read(), context.clock.now()).await? {
        let mut work = UnitOfWork::begin(context).await?;
        pass_on_one(&mut work, guild, channel).await?;
        queue.publish(work.commit().await?);
    }
    Ok(())
}

async fn pass_on_one(work: &mut UnitOfWork, guild: GuildId, id: ChannelId) -> Result<(), QueueError> {
    let tx = work.tx();
    let locked = log_channel::find_for_update(tx, guild, id).await?;
    let Some(channel) = locked.filter(|channel| channel.state == State::On) else { return Ok(()) };
    let entries = log::after(tx, guild, channel.entry_id, ENTRIES_PER_PASS).await?;
    let Some(Part { news, through }) = next_part(&channel, entries, 1, None) else { return Ok(()) };
    if news.is_empty() {
        return Ok(log_channel::passed(tx, &channel, through, None).await?);
    }
    let payload = PostNews { guild, channel: id };
    let draft = Draft::new(guild, &payload, Actor::service())?.once(&id.to_string());
    draft.enqueue(work).await?;
    Ok(())
}
