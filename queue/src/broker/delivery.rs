//! A delivered message.

use entities::job::JobMessage;
use tokio::sync::mpsc;

/// One message, acknowledged on drop: from then on only the row decides.
pub(crate) struct Delivery {
    pub(crate) message: JobMessage,
    /// `None` in-process.
    pub(super) _done: Option<Done>,
}

/// Acknowledges its message on drop.
pub(super) struct Done {
    pub(super) tag: u64,
    pub(super) tags: mpsc::UnboundedSender<u64>,
}

impl Drop for Done {
    fn drop(&mut self) {
        // The channel may have failed: the message is delivered again and claims no job.
        let _ = self.tags.send(self.tag);
    }
}
