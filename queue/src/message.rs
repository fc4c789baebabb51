//! The message in the broker: it names a row and never carries the work itself.

use entities::job::{Class, Ticket};
use entities::{JobId, Timestamp};
use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize, Deserialize)]
struct Message {
    job: JobId,
    token: i64,
    run_at: Timestamp,
    kind: String,
}

pub(crate) fn encode(ticket: &Ticket) -> Vec<u8> {
    let Ticket { job, token, run_at, kind, .. } = ticket.clone();
    let message = Message { job, token, run_at, kind };
    serde_json::to_vec(&message).unwrap_or_default()
}

/// `None`: not one of our messages.
pub(crate) fn decode(body: &[u8], class: Class, reply_to: Option<String>) -> Option<Ticket> {
    let Message { job, token, run_at, kind } = serde_json::from_slice(body).ok()?;
    Some(Ticket { job, token, run_at, kind, class, reply_to })
}
