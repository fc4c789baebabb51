//! What the proxy does at the moment, and what it has counted.

use std::sync::atomic::AtomicU64;
use std::time::Duration;

/// Which way bytes go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    ToTarget,
    ToClient,
}

impl Way {
    pub const BOTH: [Self; 2] = [Self::ToTarget, Self::ToClient];
}

/// What holds at the moment, each way in its place of [`Way::BOTH`].
#[derive(Clone, Default)]
pub(crate) struct Plan {
    pub(crate) latency: [Duration; 2],
    /// Bytes that a connection still passes on, counted anew from the order of this number.
    pub(crate) cut: [Option<(u64, u64)>; 2],
    pub(crate) silent: bool,
    pub(crate) refusing: bool,
    /// Connections that began before the last reset end by it.
    pub(crate) resets: u64,
    pub(crate) orders: u64,
}

#[derive(Default)]
pub(crate) struct Counts {
    pub(crate) connections: AtomicU64,
    pub(crate) open: AtomicU64,
    pub(crate) bytes: [AtomicU64; 2],
}
