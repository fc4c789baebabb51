//! How a permit ends: with its response or unused, reported to its grantor.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::pacing::answered::Answered;
use crate::pacing::numbers::VOID_FOR;
use crate::pacing::state::Ask;

/// The grantor of a permit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    Local,
    Alone,
    Shared,
}

#[derive(Debug, thiserror::Error)]
#[error("{cause}")]
pub(crate) struct SharedDown {
    pub(crate) cause: String,
    /// The request was sent, and may be processed at any time from now on.
    pub(crate) may_have_arrived: bool,
}

/// How a permit ended. Idempotent.
pub(crate) struct End {
    pub(crate) id: u64,
    pub(crate) ask: Ask,
    /// `None`: no request was sent.
    pub(crate) answered: Option<Answered>,
    /// A late request must not grant it again.
    pub(crate) void: bool,
}

impl End {
    pub(crate) fn release(id: u64, ask: Ask) -> Self {
        Self { id, ask, answered: None, void: true }
    }
}

/// Reports the end until it is confirmed, or is no longer relevant.
pub(crate) async fn until_confirmed<F: Future<Output = Result<(), SharedDown>>>(say: impl Fn() -> F) {
    let given_up = Instant::now() + Duration::from_micros(VOID_FOR);
    let mut pause = Duration::from_millis(50);
    while let Err(error) = say().await {
        if Instant::now() > given_up {
            tracing::warn!(%error, "cannot report the end of a permit to redis");
            return;
        }
        sleep(pause).await;
        pause = (pause * 2).min(Duration::from_secs(1));
    }
}
