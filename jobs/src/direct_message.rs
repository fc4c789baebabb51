//! Direct messages to people about their links (docs/rules.md 11) and applications (7): the job and how it is enqueued.
//!
//! Used by `api/src/endpoints/guilds/link_attempts/`, whose `messages.rs` has the texts, and by `application_submissions/decide.rs` beside it. The run is
//! `worker/src/direct_message.rs`.

use entities::audit_entry::Actor;
use entities::job::Class;
use entities::{ChatId, GuildId};
use queue::{Draft, Payload, QueueError};
use runtime::UnitOfWork;
use serde::{Deserialize, Serialize};

/// Sends a text to one person.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DirectMessage {
    /// For whose bot it is counted. Its people learn neither text nor recipient.
    pub guild: GuildId,
    pub to: ChatId,
    pub text: String,
    /// Not to who is not in the guild: the words are its staff's, the bot is that of all guilds.
    #[serde(default)]
    pub to_members: bool,
}

impl Payload for DirectMessage {
    const KIND: &'static str = "direct_message";
    const CLASS: Class = Class::Default;
    /// Within the minutes in which the platform knows a message again.
    const MAX_ATTEMPTS: i32 = 5;
}

impl DirectMessage {
    /// In the transaction of what the person is told.
    pub async fn enqueue(self, work: &mut UnitOfWork, actor: Actor) -> Result<(), QueueError> {
        let draft = Draft::new(self.guild, &self, actor)?;
        draft.enqueue(work).await?;
        Ok(())
    }
}
