//! The failures of a job's attempts, kept on its row to explain why it is late or dead. A job that succeeded in the
//! end, or was retried by hand, keeps them.

use sea_orm::prelude::Json;
use serde::{Deserialize, Serialize};

use super::model::{Failure, Model};
use crate::Timestamp;

/// The newest so many are kept.
pub const KEPT: usize = 16;
/// Characters of a message that are kept.
const MESSAGE: usize = 300;

/// One attempt that did not end well.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptError {
    /// Which attempt it was, from 1; from 1 again after a retry by hand.
    pub attempt: i32,
    pub at: Timestamp,
    /// The process that ran it. Not for guilds.
    pub worker: Option<String>,
    /// A stable code for programs.
    pub error: String,
    /// Public text.
    pub message: String,
}

impl Model {
    /// Newest last, at most [`KEPT`].
    pub fn history(&self) -> Vec<AttemptError> {
        let errors = self.errors.clone();
        errors.and_then(|errors| serde_json::from_value(errors).ok()).unwrap_or_default()
    }

    /// The history with the end of this very run in it.
    pub(super) fn history_with(&self, failure: &Failure, now: Timestamp) -> Json {
        let mut history = self.history();
        history.push(AttemptError {
            attempt: self.attempt,
            at: now,
            worker: self.worker.clone(),
            error: failure.error.clone(),
            message: failure.message.chars().take(MESSAGE).collect(),
        });
        let old = history.len().saturating_sub(KEPT);
        serde_json::to_value(&history[old..]).unwrap_or(Json::Null)
    }
}
