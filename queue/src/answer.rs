//! What a caller who waits for a job is told.

use entities::job::{Failure, Model, State};
use serde::{Deserialize, Serialize};

/// The end of a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Answer {
    Succeeded(serde_json::Value),
    Failed(Failure),
    Cancelled,
}

impl Answer {
    /// `None` while the job is open.
    pub fn of(job: &Model) -> Option<Self> {
        match job.state {
            State::Succeeded => Some(Self::Succeeded(job.result.clone().unwrap_or_default())),
            State::Cancelled => Some(Self::Cancelled),
            State::Failed | State::Dead => Some(Self::Failed(job.failure().unwrap_or_else(unexplained))),
            State::Scheduled | State::Queued | State::Running | State::Waiting | State::Retrying => None,
        }
    }
}

fn unexplained() -> Failure {
    Failure {
        status: 500,
        error: "internal".to_owned(),
        message: "the job failed without saying why".to_owned(),
        retry_after: None,
    }
}
