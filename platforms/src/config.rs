//! Hosts, credentials and rates of the two clients.
//!
//! `GUILDHALL_CHAT_API_URL` replaces the chat platform's base. `GUILDHALL_PLAY_API_URL` replaces both bases of the game
//! platform, which are two real hosts: groups at `apis.roblox.com`, names at `users.roblox.com`.

use std::sync::Arc;

use runtime::{PlatformConfig, Redis, Secret};

use crate::discord::ChatPlatform;
use crate::error::PlatformError;
use crate::pacing::{Pacer, Rules, SharedPace};
use crate::roblox::{PlayHosts, PlayPlatform};
use crate::wire::{Wire, http_client};
use crate::{discord, roblox};

const CHAT_API: &str = "https://discord.com/api/v10";
const PLAY_CLOUD: &str = "https://apis.roblox.com";
const PLAY_USERS: &str = "https://users.roblox.com";
/// The form required by the chat platform: `DiscordBot ($url, $version)`.
const CHAT_AGENT: &str = concat!("DiscordBot (guildhall, ", env!("CARGO_PKG_VERSION"), ")");
const PLAY_AGENT: &str = concat!("guildhall/", env!("CARGO_PKG_VERSION"));

/// Both platforms. Cheap to clone.
#[derive(Clone)]
pub struct Platforms {
    pub chat: Arc<ChatPlatform>,
    pub play: Arc<PlayPlatform>,
}

impl Platforms {
    /// With Redis all processes share one pacing; without it this process paces alone. Opens no connection yet.
    pub fn new(config: &PlatformConfig, redis: Option<&Redis>) -> Result<Self, PlatformError> {
        let shared = |platform| redis.map(|redis| SharedPace::new(redis.clone(), platform));
        let base = trimmed(config.chat_api_url.as_deref().unwrap_or(CHAT_API));
        let pacer = Pacer::new(Rules::chat(config.chat_rate), shared("chat"));
        let wire = Wire::new("chat", http_client(&base, CHAT_AGENT)?, pacer, discord::classify);
        let chat = ChatPlatform::new(wire, base, config.chat_token.as_ref().map(Secret::expose))?;

        let hosts = PlayHosts {
            cloud: trimmed(config.play_api_url.as_deref().unwrap_or(PLAY_CLOUD)),
            users: trimmed(config.play_api_url.as_deref().unwrap_or(PLAY_USERS)),
        };
        let pacer = Pacer::new(Rules::play(config.play_rate), shared("play"));
        let wire = Wire::new("play", http_client(&hosts.cloud, PLAY_AGENT)?, pacer, roblox::classify);
        let play = PlayPlatform::new(wire, hosts, config.play_key.as_ref().map(Secret::expose))?;
        Ok(Self { chat: Arc::new(chat), play: Arc::new(play) })
    }
}

fn trimmed(base: &str) -> String {
    base.trim_end_matches('/').to_owned()
}
