//! The proxy's current behaviour and its counts.

use std::sync::atomic::AtomicU64;
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    ToTarget,
    ToClient,
}

/// The current settings, each direction at the index of its [`Way`].
#[derive(Clone, Default)]
pub(crate) struct Plan {
    pub(crate) latency: [Duration; 2],
    /// Bytes that a connection still forwards, counted anew from the command of this number.
    pub(crate) cut: [Option<(u64, u64)>; 2],
    pub(crate) silent: bool,
    pub(crate) refusing: bool,
    /// The last reset ends the connections that began before it.
    pub(crate) resets: u64,
    pub(crate) orders: u64,
}

#[derive(Default)]
pub(crate) struct Counts {
    pub(crate) connections: AtomicU64,
    pub(crate) open: AtomicU64,
    pub(crate) bytes: [AtomicU64; 2],
}
