//! A message as a worker takes it.

use entities::job::Ticket;
use tokio::sync::mpsc;

/// One message, acknowledged when it is dropped: from then on only the row decides.
pub(crate) struct Delivery {
    pub(crate) ticket: Ticket,
    /// None in-process.
    pub(super) _done: Option<Done>,
}

/// Acknowledges its message when it is dropped.
pub(super) struct Done {
    pub(super) tag: u64,
    pub(super) tags: mpsc::UnboundedSender<u64>,
}

impl Drop for Done {
    fn drop(&mut self) {
        // Closed where the channel has failed: the message is delivered again and claims no job.
        let _ = self.tags.send(self.tag);
    }
}
