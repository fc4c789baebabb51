//! What a connection is doing.

use std::sync::Arc;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

use tokio::time::Instant;

pub(super) const READING_HEAD: u8 = 0;
pub(super) const ANSWERING: u8 = 1;
pub(super) const IDLE: u8 = 2;

static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Phase of a connection; its service reports when a request begins and ends.
#[derive(Clone)]
pub(super) struct Phase(Arc<Inner>);

struct Inner {
    phase: AtomicU8,
    /// Second of this process in which the client was last answered, or connected.
    heard: AtomicU32,
}

impl Default for Phase {
    fn default() -> Self {
        Self(Arc::new(Inner { phase: AtomicU8::new(READING_HEAD), heard: AtomicU32::new(second()) }))
    }
}

impl Phase {
    pub(super) fn answering(&self) {
        self.0.phase.store(ANSWERING, Ordering::Relaxed);
    }

    pub(super) fn answered(&self) {
        self.0.heard.store(second(), Ordering::Relaxed);
        self.0.phase.store(IDLE, Ordering::Relaxed);
    }

    pub(super) fn get(&self) -> u8 {
        self.0.phase.load(Ordering::Relaxed)
    }

    /// Whether they begin a head.
    pub(super) fn bytes_came(&self) -> bool {
        self.0.phase.compare_exchange(IDLE, READING_HEAD, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// The second since which the client has sent no request; `None`: it is being answered.
    pub(super) fn silent_since(&self) -> Option<u32> {
        (self.get() != ANSWERING).then(|| self.0.heard.load(Ordering::Relaxed))
    }
}

fn second() -> u32 {
    u32::try_from(START.elapsed().as_secs()).unwrap_or(u32::MAX)
}
