//! What a simulator is started with: the limits it keeps, the credentials it takes, how late it answers.

use std::str::FromStr;
use std::time::Duration;

use crate::credentials::Credentials;

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
