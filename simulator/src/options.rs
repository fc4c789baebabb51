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

/// The application that people sign in with on one platform.
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
    /// Interactions are signed with the key of this public one.
    pub const PUBLIC_KEY: &str = "7c112e9d2ea806fd1ebbc86c89b548b6651e7825af36c7a1ab7a4a4101ead9e7";
    /// Those of the game platform.
    pub const PLAY_DEMO_ID: &str = "guildhall-demo-play";
    pub const PLAY_DEMO_SECRET: &str = "guildhall-demo-play-secret";
    /// As on the platform.
    pub const CODE_LIFE: Duration = Duration::from_mins(1);
}

impl Application {
    pub fn new(client_id: impl Into<String>, client_secret: impl Into<String>) -> Self {
        let (client_id, client_secret) = (client_id.into(), client_secret.into());
        Self { client_id, client_secret, code_life: Self::CODE_LIFE }
    }
}

#[derive(Debug, Clone)]
pub struct SimulatorOptions {
    pub rate_limit: RateLimit,
    pub credentials: Credentials,
    /// Of the chat platform.
    pub application: Application,
    pub play_application: Application,
    /// From a request's sending to its response, half of it before the request counts as arrived. Not on the control
    /// side.
    pub latency: Duration,
    /// Maximum random extra latency, each way.
    pub jitter: Duration,
    /// Changes an hour that happen by themselves.
    pub life: u32,
}

impl Default for SimulatorOptions {
    fn default() -> Self {
        Self {
            rate_limit: RateLimit::default(),
            credentials: Credentials::default(),
            application: Application::new(Application::DEMO_ID, Application::DEMO_SECRET),
            play_application: Application::new(Application::PLAY_DEMO_ID, Application::PLAY_DEMO_SECRET),
            latency: Duration::ZERO,
            jitter: Duration::ZERO,
            life: 0,
        }
    }
}
