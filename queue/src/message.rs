//! The message in the broker: it names a row and never carries the work itself.

use entities::job::{Class, JobMessage};
use entities::{JobId, Timestamp};
use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize, Deserialize)]
struct Body {
    job: JobId,
    token: i64,
    run_at: Timestamp,
    kind: String,
}

pub(crate) fn encode(message: &JobMessage) -> Vec<u8> {
    let JobMessage { job, token, run_at, kind, .. } = message.clone();
    let body = Body { job, token, run_at, kind };
    serde_json::to_vec(&body).unwrap_or_default()
}

/// `None`: not one of our messages.
pub(crate) fn decode(body: &[u8], class: Class, reply_to: Option<String>) -> Option<JobMessage> {
    let Body { job, token, run_at, kind } = serde_json::from_slice(body).ok()?;
    Some(JobMessage { job, token, run_at, kind, class, reply_to })
}
