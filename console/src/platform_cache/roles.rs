//! Names of a guild's roles on Discord, cached for a short time: lists name them, and decide nothing by them.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use entities::{GuildId, RoleId};
use platforms::{CallContext, Platforms};
use runtime::TimedCache;

use super::accounts::soon;

const KEPT_FOR: Duration = Duration::from_secs(15);
const CAPACITY: usize = 10_000;

pub(crate) struct RoleCache {
    platforms: Platforms,
    guilds: TimedCache<GuildId, Arc<RoleNames>>,
}

/// While Discord does not answer, roles have their ids.
#[derive(Debug, Default)]
pub(crate) struct RoleNames(HashMap<RoleId, String>);

impl RoleCache {
    pub(crate) fn new(platforms: Platforms) -> Self {
        let guilds = TimedCache::new(CAPACITY, KEPT_FOR);
        Self { platforms, guilds }
    }

    /// Of the guild of the call.
    pub(crate) async fn names(&self, call: CallContext) -> Arc<RoleNames> {
        let read = async {
            let roles = self.platforms.chat.guild_roles(call).await?;
            Ok(Arc::new(RoleNames(roles.into_iter().map(|role| (role.id, role.name)).collect())))
        };
        soon(self.guilds.get_or_load(&call.guild, read)).await.unwrap_or_default()
    }
}

impl RoleNames {
    pub(crate) fn name(&self, id: RoleId) -> String {
        self.0.get(&id).cloned().unwrap_or_else(|| id.to_string())
    }

    /// "Member, Captain"
    pub(crate) fn list(&self, ids: &[RoleId]) -> String {
        ids.iter().map(|id| self.name(*id)).collect::<Vec<_>>().join(", ")
    }
}
