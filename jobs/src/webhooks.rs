//! Webhooks (docs/rules.md 14): the job that delivers one event, and the pass that makes these jobs from the audit log.
//!
//! A scheduler calls [`pass_on`] (`scheduler/src/audit_log.rs`); `api/src/endpoints/guilds/webhooks/` tests and replays. The
//! run is `worker/src/deliver_webhook.rs`.

use std::time::Duration;

use entities::audit_chain::log;
use entities::audit_entry::{self, Actor};
use entities::job::{Class, deliveries};
use entities::{AuditId, GuildId, WebhookId, webhook};
use queue::{Draft, Payload, Queue, QueueError, enqueue_many};
use runtime::{Context, UnitOfWork};
use serde::{Deserialize, Serialize};

/// Unfinished deliveries of one webhook; the log waits for their end. All webhooks of a guild together have half of its
/// jobs (`entities/src/cap.rs`).
const MOST_OPEN: u64 = 500;
/// Entries read in a pass of one webhook.
const ENTRIES_PER_PASS: u64 = 500;

/// Sends one event to one webhook.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DeliverWebhook {
    pub guild: GuildId,
    pub webhook: WebhookId,
    /// The action of the entry, or [`TEST_EVENT`].
    pub event: String,
    /// `None`: a test.
    pub entry: Option<AuditId>,
}

/// What a person sends to see whether the receiver works.
pub const TEST_EVENT: &str = "webhook.test";

impl Payload for DeliverWebhook {
    const KIND: &'static str = deliveries::DELIVER_WEBHOOK;
    const CLASS: Class = Class::Delivery;
    /// The first at once, then after the pauses.
    const MAX_ATTEMPTS: i32 = 10;
}

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
/// Those that Standard Webhooks recommends, a day at most: three days in all.
const PAUSES: [Duration; 9] = [
    Duration::from_secs(5),
    Duration::from_secs(5 * MINUTE),
    Duration::from_secs(30 * MINUTE),
    Duration::from_secs(2 * HOUR),
    Duration::from_secs(5 * HOUR),
    Duration::from_secs(10 * HOUR),
    Duration::from_secs(14 * HOUR),
    Duration::from_secs(20 * HOUR),
    Duration::from_secs(24 * HOUR),
];

impl DeliverWebhook {
    /// The pause after attempt number `attempt` (from 1) failed.
    pub fn pause(attempt: i32) -> Duration {
        let step = usize::try_from(attempt - 1).unwrap_or(0);
        PAUSES[step.min(PAUSES.len() - 1)]
    }

    /// What a test or a replay enqueues: of the same event only one is open.
    pub fn draft(&self, actor: Actor) -> Result<Draft, serde_json::Error> {
        let event = self.entry.map_or(0, AuditId::get);
        Ok(Draft::new(self.guild, self, actor)?.once(&format!("{} {event}", self.webhook)))
    }
}

/// Enqueues the deliveries of what was written since the last pass. A pass that fails midway is done again by the next.
pub async fn pass_on(context: &Context, queue: &Queue) -> Result<(), QueueError> {
    for (guild, webhook) in webhook::behind(context.database.read()).await? {
        let mut work = UnitOfWork::begin(context).await?;
        if pass_on_one(&mut work, guild, webhook).await? {
            queue.publish(work.commit().await?);
        }
    }
    Ok(())
}

/// False: there is nothing to pass on, or no room.
async fn pass_on_one(work: &mut UnitOfWork, guild: GuildId, id: WebhookId) -> Result<bool, QueueError> {
    let tx = work.tx();
    let locked = webhook::find_for_update(tx, guild, id).await?;
    let Some(hook) = locked.filter(|hook| hook.state == webhook::State::On) else { return Ok(false) };
    let room = MOST_OPEN - deliveries::count_open(tx, guild, id, MOST_OPEN).await?;
    let entries = log::after(tx, guild, hook.entry_id, ENTRIES_PER_PASS).await?;
    let (mut drafts, mut last) = (Vec::new(), None);
    for entry in entries {
        if hook.takes(entry.source, &entry.action) {
            if drafts.len() as u64 == room {
                break;
            }
            drafts.push(of_entry(&entry, id)?);
        }
        last = Some((entry.position.unwrap_or(hook.position), entry.audit_id));
    }
    let Some(last) = last else { return Ok(false) };
    webhook::passed_on(tx, id, last).await?;
    enqueue_many(work, drafts).await?;
    Ok(true)
}

/// The request that made the entry is in the log of its delivery too.
fn of_entry(entry: &audit_entry::Model, webhook: WebhookId) -> Result<Draft, serde_json::Error> {
    let payload = DeliverWebhook {
        guild: entry.guild_id,
        webhook,
        event: entry.action.clone(),
        entry: Some(entry.audit_id),
    };
    Draft::new(entry.guild_id, &payload, Actor { request_id: entry.request_id.clone(), ..Actor::service() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_are_made_over_three_days() {
        assert_eq!(DeliverWebhook::pause(1), Duration::from_secs(5));
        assert_eq!(usize::try_from(DeliverWebhook::MAX_ATTEMPTS).unwrap(), 1 + PAUSES.len());
        let all: Duration = (1..DeliverWebhook::MAX_ATTEMPTS).map(DeliverWebhook::pause).sum();
        assert_eq!(all.as_secs(), 5 + 35 * MINUTE + 75 * HOUR);
    }
}
