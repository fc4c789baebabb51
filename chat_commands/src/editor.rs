//! Changes the answer to an interaction after it was given.

use std::sync::Arc;
use std::time::Duration;

use entities::ChatId;
use platforms::{Missing, PlatformError};

use crate::ChatCommands;
use crate::message::Message;

/// A changed answer is sent again for so long if the platform does not take it.
const EDIT_FOR: Duration = Duration::from_secs(60);
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// Changes the answer to an interaction, for the 15 minutes in which the platform allows it.
pub(crate) struct Editor {
    pub(crate) chat: Arc<ChatCommands>,
    pub(crate) application: ChatId,
    pub(crate) token: String,
    /// The answer takes the place of an earlier message.
    pub(crate) changes: bool,
}

impl Editor {
    pub(crate) async fn refuse(&self, message: &Message) {
        if !self.changes {
            self.edit(message).await;
            return;
        }
        let chat = &self.chat.platforms.chat;
        if let Err(error) = chat.follow_answer(self.application, &self.token, message.json()).await {
            tracing::warn!(%error, "the answer to a button could not be sent");
        }
    }

    /// The platform may not have the first answer yet, and may be away for a moment. False: it did not take the change.
    pub(crate) async fn edit(&self, message: &Message) -> bool {
        let clock = &self.chat.context.clock;
        let (begun, mut pause) = (clock.steady(), FIRST_PAUSE);
        loop {
            let edited = self.chat.platforms.chat.edit_answer(self.application, &self.token, message.json());
            let error = match edited.await {
                Ok(()) => return true,
                Err(error) => error,
            };
            let is_early = matches!(error, PlatformError::NotFound(Missing::Other));
            let left = EDIT_FOR.saturating_sub(clock.steady().saturating_sub(begun));
            if !(is_early || error.is_retryable()) || left < pause {
                tracing::warn!(%error, "the answer to a command could not be changed");
                return false;
            }
            tokio::time::sleep(error.retry_after().filter(|_| !is_early).unwrap_or(pause).min(left)).await;
            pause *= 2;
        }
    }
}
