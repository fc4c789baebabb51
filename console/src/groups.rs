//! The ranks of Roblox groups with their names, kept for some minutes: they change seldom, and each page names them.

use std::sync::Arc;
use std::time::Duration;

use entities::GroupId;
use moka::future::Cache;
use platforms::{CallContext, GroupRole, PlatformError};

use crate::Console;

const KEPT_FOR: Duration = Duration::from_secs(5 * 60);
const CAPACITY: u64 = 10_000;

pub(crate) struct GroupCache(Cache<GroupId, Arc<Vec<GroupRole>>>);

impl Default for GroupCache {
    fn default() -> Self {
        Self(Cache::builder().max_capacity(CAPACITY).time_to_live(KEPT_FOR).build())
    }
}

impl Console {
    /// The ranks of a group, highest first; without that of guests, who are not in the group.
    pub(crate) async fn ranks_of_group(
        &self,
        call: CallContext,
        group: GroupId,
    ) -> Result<Arc<Vec<GroupRole>>, PlatformError> {
        let read = async {
            let mut ranks = self.platforms.play.group_roles(call, group).await?;
            ranks.retain(|role| role.rank > 0);
            ranks.sort_by_key(|role| std::cmp::Reverse(role.rank));
            Ok(Arc::new(ranks))
        };
        self.groups.0.try_get_with(group, read).await.map_err(|error: Arc<PlatformError>| (*error).clone())
    }
}
