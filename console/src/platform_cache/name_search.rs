//! Members by their names on Discord. These are not stored here: Discord searches, and an answer is cached
//! for a minute.

use std::sync::Arc;
use std::time::Duration;

use entities::GuildId;
use moka::future::Cache;
use platforms::{CallContext, NamedMember, Platforms};

use crate::platform_cache::accounts::soon;

const KEPT_FOR: Duration = Duration::from_secs(60);
const CAPACITY: u64 = 1_000;
/// Members of one search.
pub(crate) const MEMBERS_MAX: u16 = 20;

pub(crate) struct NameSearches {
    platforms: Platforms,
    answers: Cache<(GuildId, String), Arc<Vec<NamedMember>>>,
}

impl NameSearches {
    pub(crate) fn new(platforms: Platforms) -> Self {
        let answers = Cache::builder().max_capacity(CAPACITY).time_to_live(KEPT_FOR).build();
        Self { platforms, answers }
    }

    /// The first members whose user name or nickname begins with the text. `Err`: why Discord does not
    /// answer, in words.
    pub(crate) async fn find(&self, call: CallContext, text: &str) -> Result<Arc<Vec<NamedMember>>, String> {
        let read = async { Ok(Arc::new(self.platforms.chat.members_named(call, text, MEMBERS_MAX).await?)) };
        soon(self.answers.try_get_with((call.guild, text.to_lowercase()), read)).await
    }
}
