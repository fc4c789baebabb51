//! The copy of bans on the chat platform, enqueued in the transaction that changes the bans: one job for each chat
//! user. The job reads the bans when it runs, so the order in which jobs run does not matter.

use std::collections::BTreeMap;

use entities::audit_entry::Actor;
use entities::job::JobMessage;
use entities::moderation_revision::Change;
use entities::sanction::mirror::{self, Mirror};
use entities::{ChatId, SanctionId, sanction};
use sea_orm::ConnectionTrait;

use crate::kinds::MirrorBan;
use crate::{Draft, QueueError};

/// Enqueues a job for every chat user whom one of these bans is mirrored on, and assigns the bans to that job. Publish
/// the messages after the commit.
pub async fn enqueue_mirror<C: ConnectionTrait>(
    conn: &C,
    change: &Change,
    sanctions: &[sanction::Model],
    actor: &Actor,
) -> Result<Vec<JobMessage>, QueueError> {
    let mut users: BTreeMap<ChatId, Vec<SanctionId>> = BTreeMap::new();
    for row in sanctions {
        if let Some(user) = row.mirror_chat_id {
            users.entry(user).or_default().push(row.sanction_id);
        }
    }
    let mut messages = Vec::new();
    for (user, bans) in users {
        let draft = Draft::new(change.guild, &MirrorBan { guild: change.guild, user }, actor.clone())?;
        // Not deduplicated: a running job may have read the bans already.
        let enqueued = draft.enqueue(conn, change.now).await?;
        mirror::start(conn, change.guild, &bans, Mirror { chat: user, job: enqueued.job }).await?;
        messages.extend(enqueued.message);
    }
    Ok(messages)
}
