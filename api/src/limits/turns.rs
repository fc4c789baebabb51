//! Concurrency limits of guilds: one that sends much at once delays only itself (docs/rules.md 3).

use std::sync::Arc;

use entities::GuildId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Requests of a guild that this process works on at the same time: fewer than its connections to the database, so that
/// some are left for other guilds.
const AT_ONCE: usize = 3;
/// Guilds share places by hash, so that no state is kept for each.
const PLACES: usize = 1 << 10;
/// Spreads ids that differ in any digits, as Fibonacci hashing does.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

#[derive(Clone)]
pub(crate) struct Turns(Arc<[Arc<Semaphore>]>);

impl Default for Turns {
    fn default() -> Self {
        Self((0..PLACES).map(|_| Arc::new(Semaphore::new(AT_ONCE))).collect())
    }
}

impl Turns {
    /// First come, first served.
    pub(crate) async fn take(&self, guild: GuildId) -> Option<OwnedSemaphorePermit> {
        self.0[place(guild.get(), PLACES)].clone().acquire_owned().await.ok()
    }
}

/// The place of an id among this many, a power of two.
pub(crate) fn place(id: i64, places: usize) -> usize {
    let spread = id.unsigned_abs().wrapping_mul(SPREAD) >> (u64::BITS - places.ilog2());
    usize::try_from(spread).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[tokio::test]
    async fn a_guild_waits_for_itself_and_not_for_others() {
        let [busy, other]: [GuildId; 2] =
            ["7000000000000000000", "7000000000000000001"].map(|id| id.parse().unwrap());
        let turns = Turns::default();
        let mut taken = Vec::new();
        for _ in 0..AT_ONCE {
            taken.push(turns.take(busy).now_or_never().unwrap());
        }
        assert!(turns.take(busy).now_or_never().is_none());
        assert!(turns.take(other).now_or_never().is_some());
        taken.pop();
        assert!(turns.take(busy).now_or_never().is_some());
    }

    #[test]
    fn guilds_are_spread() {
        for step in [1, 1 << 22, 1 << 40] {
            let places: std::collections::HashSet<usize> =
                (1..=1_000_i64).map(|n| place(n * step, PLACES)).collect();
            assert!(places.len() > 400, "{step}: {}", places.len());
        }
    }
}
