//! Why a publish was not confirmed. The row stays queued.

#[derive(Debug, Clone, thiserror::Error)]
pub enum PublishError {
    #[error("the broker is not connected")]
    NotConnected,
    #[error("the broker did not confirm in time")]
    TimedOut,
    #[error("the queue is full")]
    Full,
    #[error("no queue takes the message")]
    Unroutable,
    #[error("the broker failed: {0}")]
    Broker(String),
}
