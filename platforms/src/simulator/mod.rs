//! A real peer that speaks both platforms' wire formats over HTTP, with their limits, paging, error bodies and
//! hierarchy rules, so that demos and tests run the same clients as production.
//!
//! The chat platform is served below `/` and `/api/v10`, the game platform below `/cloud/v2` and `/v1`. The control side
//! (`/control/...`) counts what came in, injects faults and changes state; see `GET /control/routes`.

mod chat;
mod control;
mod faults;
mod huge;
mod ledger;
mod limits;
mod load;
mod members;
mod objects;
mod play;
mod reply;
mod router;
mod server;
mod stats;
mod world;

use std::str::FromStr;
use std::time::Duration;

pub use load::LoadError;
pub use server::serve;
pub use world::SimulatorState;

/// Which limits the simulator keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RateLimit {
    /// Those of the real hosts: 50 chat requests in any second, buckets, 300 game requests in any minute.
    #[default]
    Discord,
    Off,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("must be `discord` or `off`")]
pub struct RateLimitError;

impl FromStr for RateLimit {
    type Err = RateLimitError;

    fn from_str(text: &str) -> Result<Self, RateLimitError> {
        match text {
            "discord" => Ok(Self::Discord),
            "off" => Ok(Self::Off),
            _ => Err(RateLimitError),
        }
    }
}

#[derive(Debug, Clone, Copy, Default)]
pub struct SimulatorOptions {
    pub rate_limit: RateLimit,
    /// Added to every platform answer, never to the control side.
    pub latency: Duration,
}
