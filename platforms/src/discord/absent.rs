//! Guilds that the bot is not in. Anyone may request a guild's pages, and each refusal counts towards a ban
//! of the address, so the platform is not asked again at once.

use std::time::Duration;

use entities::GuildId;
use runtime::TimedCache;

use crate::error::{MISSING_ACCESS, PlatformError};
use crate::routes::chat as routes;

/// A refusal is cached this long for calls with a waiting caller: as long as the console uses an answer.
const REFUSAL_KNOWN_FOR: Duration = Duration::from_secs(45);
const REFUSALS_KEPT: usize = 100_000;

/// The platform's refusal.
pub(super) struct Absent(TimedCache<GuildId, PlatformError>);

impl Default for Absent {
    fn default() -> Self {
        Self(TimedCache::new(REFUSALS_KEPT, REFUSAL_KNOWN_FOR))
    }
}

impl Absent {
    pub(super) fn known(&self, guild: GuildId) -> Option<PlatformError> {
        self.0.get(&guild)
    }

    /// Remembers the refusal of a read of the guild itself: a refusal about members may have another reason.
    pub(super) fn note(&self, guild: GuildId, route: &str, refusal: &PlatformError) {
        let of_guild = [routes::GUILD, routes::ROLES].contains(&route);
        if of_guild && matches!(refusal, PlatformError::Forbidden { code: MISSING_ACCESS, .. }) {
            self.0.insert(guild, refusal.clone());
        }
    }
}
