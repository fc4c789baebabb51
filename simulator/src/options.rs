//! The options of a simulator: limits, accepted credentials, the application of sign-in, latency.

use std::str::FromStr;
use std::time::Duration;

use crate::credentials::Credentials;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RateLimit {
    /// Those of the real hosts as publicly observed: 50 chat requests in any second, a bucket for each route and guild,
    /// 300 game requests a minute.
    #[default]
    Discord,
    /// Only the global limit: 50 chat requests in any second. Bulk runs are many times as fast as with the real
    /// buckets.
    Fast,
    Off,
}

impl FromStr for RateLimit {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "discord" => Ok(Self::Discord),
            "fast" => Ok(Self::Fast),
            "off" => Ok(Self::Off),
            _ => Err("must be `discord`, `fast` or `off`"),
        }
    }
}

/// The application that people sign in with.
#[derive(Debug, Clone)]
pub struct Application {
    pub client_id: String,
    pub client_secret: String,
    /// How long a code can be exchanged.
    pub code_life: Duration,
}

impl Application {
    pub const DEMO_ID: &str = "guildhall-demo";
    pub const DEMO_SECRET: &str = "guildhall-demo-secret";
    /// As on the platform.
    pub const CODE_LIFE: Duration = Duration::from_mins(1);
}

impl Default for Application {
    fn default() -> Self {
        let (client_id, client_secret) = (Self::DEMO_ID.to_owned(), Self::DEMO_SECRET.to_owned());
        Self { client_id, client_secret, code_life: Self::CODE_LIFE }
    }
}

#[derive(Debug, Clone, Default)]
pub struct SimulatorOptions {
    pub rate_limit: RateLimit,
    pub credentials: Credentials,
    pub application: Application,
    /// From a request's sending to its response, half of it before the request counts as arrived. Not on the control
    /// side.
    pub latency: Duration,
    /// Maximum random extra latency, each way.
    pub jitter: Duration,
}
