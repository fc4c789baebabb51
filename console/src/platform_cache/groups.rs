//! Roblox groups with their names and ranks, cached for some minutes: they change rarely, and each page names
//! them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use entities::GroupId;
use futures_util::future::join_all;
use platforms::{CallContext, GroupRole, PlatformError, Platforms};
use runtime::TimedCache;

const KEPT_FOR: Duration = Duration::from_secs(5 * 60);
const CAPACITY: usize = 10_000;

pub(crate) struct GroupCache {
    platforms: Platforms,
    groups: TimedCache<GroupId, Arc<Group>>,
}

pub(crate) struct Group {
    id: GroupId,
    /// Absent if Roblox does not return it.
    name: Option<String>,
    /// Highest first; without that of guests, who are not in the group.
    pub(crate) ranks: Vec<GroupRole>,
}

/// The name of a rank, or its number.
pub(crate) fn rank_name(group: Option<&Group>, rank: i16) -> String {
    let role = group.and_then(|group| group.ranks.iter().find(|role| role.rank == rank));
    role.map_or_else(|| format!("rank {rank}"), |role| role.name.clone())
}

/// Its name, or its number.
impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => name.fmt(f),
            None => self.id.fmt(f),
        }
    }
}

impl GroupCache {
    /// Those of these groups that Roblox shows.
    pub(crate) async fn find_all(
        &self,
        call: CallContext,
        ids: impl IntoIterator<Item = GroupId>,
    ) -> BTreeMap<GroupId, Arc<Group>> {
        let ids: BTreeSet<_> = ids.into_iter().collect();
        let found =
            join_all(ids.into_iter().map(|id| async move { Some((id, self.find(call, id).await.ok()?)) }));
        found.await.into_iter().flatten().collect()
    }

    pub(crate) fn new(platforms: Platforms) -> Self {
        let groups = TimedCache::new(CAPACITY, KEPT_FOR);
        Self { platforms, groups }
    }

    pub(crate) async fn find(&self, call: CallContext, id: GroupId) -> Result<Arc<Group>, PlatformError> {
        let read = async {
            let play = &self.platforms.play;
            let (ranks, name) = tokio::join!(play.group_roles(call, id), play.group_name(call, id));
            let mut ranks = ranks?;
            ranks.retain(|role| role.rank > 0);
            ranks.sort_by_key(|role| std::cmp::Reverse(role.rank));
            let name = name.ok().filter(|name| !name.trim().is_empty());
            Ok(Arc::new(Group { id, name, ranks }))
        };
        self.groups.get_or_load(&id, read).await
    }
}
