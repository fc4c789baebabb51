//! The message in the broker: which row to look at. It never carries the work itself.

use entities::JobId;
use entities::job::{Class, Ticket};
use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize, Deserialize)]
struct Message {
    job: JobId,
    token: i64,
    kind: String,
}

pub(crate) fn encode(ticket: &Ticket) -> Vec<u8> {
    let message = Message { job: ticket.job, token: ticket.token, kind: ticket.kind.clone() };
    serde_json::to_vec(&message).unwrap_or_default()
}

/// `None`: not one of our messages.
pub(crate) fn decode(body: &[u8], class: Class, reply_to: Option<String>) -> Option<Ticket> {
    let Message { job, token, kind } = serde_json::from_slice(body).ok()?;
    Some(Ticket { job, token, kind, class, reply_to })
}
