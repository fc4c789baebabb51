//! Usage and limits of an API process, for operators. The API of this process fills it in.

use std::time::Duration;

/// A count and its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    pub now: u64,
    pub most: u64,
}

/// What a cache counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weighed {
    Entries,
    Bytes,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheFigures {
    pub name: &'static str,
    pub entries: u64,
    /// The unit of its limit.
    pub weighed: Weighed,
    pub held: Held,
}

/// A rate limit of a key (docs/rules.md 3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RateLimitFigures {
    pub name: &'static str,
    pub calls: u32,
    pub window: Duration,
    /// A key may have a factor for it.
    pub hot_path: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessFigures {
    pub connections: Held,
    /// Connections of one address that is not a trusted proxy.
    pub connections_per_address: u64,
    pub sockets: Held,
    pub sockets_per_guild: u64,
    pub caches: Vec<CacheFigures>,
    pub rate_limits: Vec<RateLimitFigures>,
}
