//! What an API process holds and allows, for operators. The API of this process fills it in.

use std::time::Duration;

/// A number of something, and how many there may be.
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
    /// What its limit is about.
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
    /// Of one address that is no trusted proxy.
    pub connections_per_address: u64,
    pub sockets: Held,
    pub sockets_per_guild: u64,
    pub caches: Vec<CacheFigures>,
    pub rate_limits: Vec<RateLimitFigures>,
}
