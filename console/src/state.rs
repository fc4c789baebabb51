//! What all pages share: the connections of the process, and what is cached.

use std::sync::Arc;

use people::RightsCache;
use platforms::Platforms;
use queue::Queue;
use runtime::Context;

use crate::guard::limited_sessions::LimitedSessions;
use crate::guard::tokens::Tokens;
use crate::host::Host;
use crate::metrics::CounterHistory;
use crate::platform_cache::accounts::AccountCache;
use crate::platform_cache::groups::GroupCache;
use crate::platform_cache::name_search::{NameSearches, PlayerNames};
use crate::platform_cache::names::NameCache;
use crate::platform_cache::roles::RoleCache;
use crate::response::exports::Exports;

pub struct Console {
    pub(crate) context: Context,
    pub(crate) platforms: Platforms,
    pub(crate) queue: Queue,
    pub(crate) host: Arc<dyn Host>,
    pub(crate) ways_in: WaysIn,
    pub(crate) rights: Arc<RightsCache>,
    pub(crate) tokens: Tokens,
    pub(crate) groups: GroupCache,
    pub(crate) roles: RoleCache,
    pub(crate) accounts: AccountCache,
    pub(crate) names: NameCache,
    pub(crate) name_searches: NameSearches,
    pub(crate) player_names: PlayerNames,
    pub(crate) counter_history: CounterHistory,
    pub(crate) exports: Exports,
    pub(crate) limited_sessions: LimitedSessions,
}

/// How people sign in.
#[derive(Clone, Debug, Default)]
pub struct WaysIn {
    /// What browsers see, without a slash at the end; needed for signing in with the chat platform.
    pub public_url: Option<String>,
    /// The command that prints a link, as the sign-in page names it; `None`: the usual one, for any server.
    pub link_command: Option<String>,
}

impl Console {
    pub fn new(
        context: Context,
        platforms: Platforms,
        queue: Queue,
        host: Arc<dyn Host>,
        rights: Arc<RightsCache>,
        ways_in: WaysIn,
    ) -> Arc<Self> {
        Arc::new(Self {
            rights,
            tokens: Tokens::new(context.limits.clone(), platforms.clone()),
            groups: GroupCache::new(platforms.clone()),
            roles: RoleCache::new(platforms.clone()),
            accounts: AccountCache::new(platforms.clone()),
            names: NameCache::new(platforms.clone()),
            name_searches: NameSearches::new(platforms.clone()),
            player_names: PlayerNames::new(platforms.clone()),
            counter_history: CounterHistory::default(),
            exports: Exports::default(),
            limited_sessions: LimitedSessions::default(),
            context,
            platforms,
            queue,
            host,
            ways_in,
        })
    }
}
