//! The failures of a job's attempts, kept on its row to explain a delay or a dead job. A job that later succeeds, or is
//! retried by hand, keeps them.

use sea_orm::prelude::Json;
use serde::{Deserialize, Serialize};

use super::model::{Failure, Model};
use crate::Timestamp;

/// Number of failures kept, the newest.
pub const FAILURES_KEPT: usize = 16;
/// Characters of a message that are kept.
const MESSAGE_CHARS: usize = 300;

/// One attempt that did not succeed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptError {
    /// Number of the attempt, from 1; from 1 again after a retry by hand.
    pub attempt: i32,
    pub at: Timestamp,
    /// The process that ran it. Not shown to guilds.
    pub worker: Option<String>,
    /// A stable code for programs.
    pub error: String,
    /// Public text.
    pub message: String,
}

impl Model {
    /// Newest last, at most [`FAILURES_KEPT`].
    pub fn history(&self) -> Vec<AttemptError> {
        let errors = self.errors.clone();
        errors.and_then(|errors| serde_json::from_value(errors).ok()).unwrap_or_default()
    }

    /// The history including the end of the current run.
    pub(super) fn history_with(&self, failure: &Failure, now: Timestamp) -> Json {
        let mut history = self.history();
        history.push(AttemptError {
            attempt: self.attempt,
            at: now,
            worker: self.worker.clone(),
            error: failure.error.clone(),
            message: failure.message.chars().take(MESSAGE_CHARS).collect(),
        });
        let old = history.len().saturating_sub(FAILURES_KEPT);
        serde_json::to_value(&history[old..]).unwrap_or(Json::Null)
    }
}
