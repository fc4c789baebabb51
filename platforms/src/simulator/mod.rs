//! A real peer that speaks both platforms' wire formats over HTTP, with their limits, paging, error bodies and
//! hierarchy rules, so that demos and tests run the same clients as production.
//!
//! The chat platform is served below `/` and `/api/v10`, the game platform below `/cloud/v2` and `/v1`. The control side
//! (`/control/...`) counts what came in, injects faults and changes state; see `GET /control/routes`.

mod audit;
mod bans;
mod channels;
mod chat;
mod control;
mod credentials;
mod faults;
mod form;
mod huge;
mod ledger;
mod limits;
mod load;
mod members;
mod objects;
mod pauses;
mod permissions;
mod play;
mod reply;
mod router;
mod server;
mod stats;
mod timeline;
mod world;

use std::str::FromStr;
use std::time::Duration;

pub use credentials::Credentials;
pub use load::LoadError;
pub use server::serve;
pub use world::SimulatorState;

/// Which limits the simulator keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RateLimit {
    /// Those of the real hosts as publicly observed: 50 chat requests in any second, a bucket for each route and guild, 300
    /// game requests a minute.
    #[default]
    Discord,
    /// Only the global one: 50 chat requests in any second. Bulk runs go many times as fast as the real buckets allow.
    Fast,
    Off,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("must be `discord`, `fast` or `off`")]
pub struct RateLimitError;

impl FromStr for RateLimit {
    type Err = RateLimitError;

    fn from_str(text: &str) -> Result<Self, RateLimitError> {
        match text {
            "discord" => Ok(Self::Discord),
            "fast" => Ok(Self::Fast),
            "off" => Ok(Self::Off),
            _ => Err(RateLimitError),
        }
    }
}

#[derive(Debug, Clone, Default)]
pub struct SimulatorOptions {
    pub rate_limit: RateLimit,
    pub credentials: Credentials,
    /// From a request's sending to its answer, half of it before the request counts as arrived. Never on the control side.
    pub latency: Duration,
    /// Up to this much more on each of the two ways, by chance.
    pub jitter: Duration,
}
