//! Game servers known to have a row, so that a heartbeat need not insert one first.

use std::time::Duration;

use moka::sync::Cache;

use crate::cache::commands::OwnServer;

const CAPACITY: u64 = 50_000;
/// Far shorter than the retention of stale servers' rows.
const LIFE: Duration = Duration::from_secs(10 * 60);

pub(crate) struct KnownServers(Cache<OwnServer, ()>);

impl KnownServers {
    pub(crate) fn new() -> Self {
        Self(Cache::builder().max_capacity(CAPACITY).time_to_live(LIFE).build())
    }

    pub(crate) fn contains(&self, server: &OwnServer) -> bool {
        self.0.contains_key(server)
    }

    pub(crate) fn insert(&self, server: OwnServer) {
        self.0.insert(server, ());
    }
}
