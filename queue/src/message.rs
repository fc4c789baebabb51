//! The message in the broker: which row to look at. It never carries the work itself.

use entities::JobId;
use entities::job::{Class, Ticket};
use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize, Deserialize)]
struct Message {
    job: JobId,
    lease: i64,
    kind: String,
}

pub(crate) fn encode(ticket: &Ticket) -> Vec<u8> {
    let message = Message { job: ticket.job, lease: ticket.lease, kind: ticket.kind.clone() };
    serde_json::to_vec(&message).unwrap_or_default()
}

/// `None`: not one of our messages.
pub(crate) fn decode(body: &[u8], class: Class, reply_to: Option<String>) -> Option<Ticket> {
    let Message { job, lease, kind } = serde_json::from_slice(body).ok()?;
    Some(Ticket { job, lease, kind, class, reply_to })
}
