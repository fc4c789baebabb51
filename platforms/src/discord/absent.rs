//! Guilds that the bot is not in. Anybody may look at a guild's pages, and each refusal counts towards a ban of the address,
//! so the platform is not asked again at once.

use std::time::Duration;

use entities::GuildId;
use moka::sync::Cache;
use serde::de::DeserializeOwned;

use super::{ChatPlatform, MISSING_ACCESS};
use crate::context::{CallContext, Priority};
use crate::error::{PlatformError, Result};
use crate::routes::chat as routes;
use crate::wire::Call;

/// A refusal is repeated for so long to calls that somebody waits for. As long as the console uses an answer.
const KNOWN_FOR: Duration = Duration::from_secs(45);
const CAPACITY: u64 = 100_000;

/// How the platform said that the bot is not there.
pub(super) struct Absent(Cache<GuildId, PlatformError>);

impl Default for Absent {
    fn default() -> Self {
        Self(Cache::builder().max_capacity(CAPACITY).time_to_live(KNOWN_FOR).build())
    }
}

impl ChatPlatform {
    /// Reads of the guild.
    pub(super) async fn read<T: DeserializeOwned>(&self, call: CallContext, request: &Call) -> Result<T> {
        let waits = call.priority == Priority::Interactive;
        if let Some(refusal) = self.absent.0.get(&call.guild).filter(|_| waits) {
            return Err(refusal);
        }
        let read = self.wire.json(call, request).await;
        // Of members the answer may have another reason.
        let of_guild = [routes::GUILD, routes::ROLES].contains(&request.route);
        if let Err(refusal @ PlatformError::Forbidden { code: MISSING_ACCESS, .. }) = &read
            && of_guild
        {
            self.absent.0.insert(call.guild, refusal.clone());
        }
        read
    }
}
