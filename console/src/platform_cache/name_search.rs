//! Members by their names on Discord, and players by their names on Roblox. These are not stored here: the platform is asked,
//! and an answer is cached for a minute.

use std::sync::Arc;
use std::time::Duration;

use entities::GuildId;
use platforms::{CallContext, NamedMember, Platforms, Player};
use runtime::TimedCache;

use crate::platform_cache::accounts::soon;

const KEPT_FOR: Duration = Duration::from_secs(60);
const CAPACITY: usize = 1_000;
/// Members of one search.
pub(crate) const MEMBERS_MAX: u16 = 20;

pub(crate) struct NameSearches {
    platforms: Platforms,
    answers: TimedCache<(GuildId, String), Arc<Vec<NamedMember>>>,
}

impl NameSearches {
    pub(crate) fn new(platforms: Platforms) -> Self {
        let answers = TimedCache::new(CAPACITY, KEPT_FOR);
        Self { platforms, answers }
    }

    /// The first members whose user name or nickname begins with the text. `Err`: why Discord does not
    /// answer, in words.
    pub(crate) async fn find(&self, call: CallContext, text: &str) -> Result<Arc<Vec<NamedMember>>, String> {
        let text = text.to_lowercase();
        // Whoever begins with the text begins with each of its beginnings too.
        let beginnings = text.char_indices().skip(1).map(|(end, _)| &text[..end]);
        for beginning in beginnings {
            let known = self.answers.get(&(call.guild, beginning.to_owned()));
            if let Some(nobody) = known.filter(|found| found.is_empty()) {
                return Ok(nobody);
            }
        }
        let read = async { Ok(Arc::new(self.platforms.chat.members_named(call, &text, MEMBERS_MAX).await?)) };
        soon(self.answers.get_or_load(&(call.guild, text.clone()), read)).await
    }
}

/// Letters of the shortest name.
const PLAYER_NAME_MIN: usize = 3;

pub(crate) struct PlayerNames {
    platforms: Platforms,
    /// By the name in lower case.
    answers: TimedCache<String, Option<Player>>,
}

impl PlayerNames {
    pub(crate) fn new(platforms: Platforms) -> Self {
        let answers = TimedCache::new(CAPACITY, KEPT_FOR);
        Self { platforms, answers }
    }

    /// The player with this whole name. `Err`: why Roblox does not answer, in words.
    pub(crate) async fn find(&self, call: CallContext, name: &str) -> Result<Option<Player>, String> {
        if name.len() < PLAYER_NAME_MIN {
            return Ok(None);
        }
        let read = self.platforms.play.find_by_name(call, name);
        soon(self.answers.get_or_load(&name.to_lowercase(), read)).await
    }
}
