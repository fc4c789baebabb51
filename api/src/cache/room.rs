//! Whether a guild may have further rows of a type (`entities::cap`, docs/rules.md 3).
//!
//! Small caps are counted for every new row. Large ones are counted rarely: a count grants a quarter of what
//! is left, and the rows that this process adds use it up. So several processes may exceed a cap by what they
//! were granted, and simultaneous requests by their number.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use entities::GuildId;
use entities::cap::{Cap, Row};
use runtime::TimedCache;
use sea_orm::ConnectionTrait;

use crate::response::error::ApiError;

/// Caps up to this are counted for every new row.
const SMALL: u64 = 10_000;
const GUILDS: usize = 10_000;
/// Rows that were deleted meanwhile are noticed after this.
const GRANTED_FOR: Duration = Duration::from_secs(10 * 60);
/// A guild at a large cap is counted once in this time.
const FULL_FOR: Duration = Duration::from_secs(30);

pub(crate) struct Rooms {
    granted: TimedCache<(GuildId, Cap), Arc<AtomicI64>>,
    full: TimedCache<(GuildId, Cap), ()>,
}

impl Default for Rooms {
    fn default() -> Self {
        Self { granted: TimedCache::new(GUILDS, GRANTED_FOR), full: TimedCache::new(GUILDS, FULL_FOR) }
    }
}

impl Rooms {
    /// 422 if the guild may not have this many further rows.
    pub(crate) async fn check(
        &self,
        conn: &impl ConnectionTrait,
        guild: GuildId,
        cap: Cap,
        more: u64,
    ) -> Result<(), ApiError> {
        let (most, of) = (cap.row().most, (guild, cap));
        if most <= SMALL {
            let full = cap.count(conn, guild).await? + more > most;
            return if full { Err(too_many(cap)) } else { Ok(()) };
        }
        let taken = i64::try_from(more).unwrap_or(i64::MAX);
        if self.granted.get(&of).is_some_and(|left| left.fetch_sub(taken, Ordering::Relaxed) >= taken) {
            return Ok(());
        }
        if self.full.contains(&of) {
            return Err(too_many(cap));
        }
        let left = most.saturating_sub(cap.count(conn, guild).await?);
        if left < more {
            self.full.insert(of, ());
            return Err(too_many(cap));
        }
        let granted = i64::try_from(left / 4).unwrap_or(i64::MAX);
        self.granted.insert(of, Arc::new(AtomicI64::new(granted.saturating_sub(taken))));
        Ok(())
    }
}

pub(crate) fn too_many(cap: Cap) -> ApiError {
    let Row { name, most, cure } = cap.row();
    ApiError::rule("too_many", format!("a guild may have at most {most} {name}: {cure}"))
}
