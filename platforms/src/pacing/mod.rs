//! Pacing: every platform call takes a permit first, so that the platform's limits cannot be broken.
//!
//! The promise: a permit is given back one window after the *answer* arrived. The request reached the platform between
//! grant and answer, so no sliding window there can hold more requests than there are permits. Bulk may hold all but a
//! few, so interactive calls always find their share; guilds whose bulk waits share the rest equally. With Redis all processes share one set of permits; while Redis is
//! down interactive calls are paced in-process at a quarter of the rate, and bulk calls are refused (`Unavailable`),
//! because nobody can know how many processes are spending.

mod answered;
mod invalid;
mod lane;
mod pacer;
mod rate;
mod shared;
mod state;
mod streak;
#[cfg(test)]
mod tests;

use std::time::Duration;

pub(crate) use answered::{Answered, Bucket, Pause};
pub(crate) use pacer::Pacer;
pub(crate) use rate::Rules;
pub(crate) use shared::SharedPace;
pub(crate) use state::Ask;
pub use streak::ForbiddenStreak;

/// Points in time and spans, in microseconds: of the process's monotonic clock or of the Redis server's.
pub(crate) type Micros = u64;

pub(crate) const SECOND: Micros = 1_000_000;

/// A permit whose holder vanished comes back after this and a window. Longer than any request can take (10 s in all).
const SAFETY: Micros = 30 * SECOND;
/// The first call of a lane goes alone to learn the bucket; if its holder vanishes the next one tries after this.
const PROBE: Micros = 2 * SECOND;
/// Lanes nobody used for this long are forgotten.
const LANE_IDLE: Micros = 600 * SECOND;
/// After a reset the next window is assumed to be as long as the longest one seen, but no longer than this.
const LONGEST_SPAN: Micros = 60 * SECOND;
/// Never sleep longer than this between two questions: permits of calls in flight come back at an unknown time.
const POLL: Micros = SECOND / 10;

/// The chat platform bans an address at 10,000 invalid answers (401, 403, 429) in 10 minutes. We stop bulk at half.
pub(crate) const INVALID_LIMIT: u32 = 5_000;
pub(crate) const INVALID_MINUTES: u64 = 10;

/// A guild counts as waiting for this long after it found no permit: longer than it sleeps before it asks again.
const WAITING: Micros = SECOND / 4;

/// When to come back after a platform was unavailable: the job ladder takes over from there.
pub(crate) const RETRY_UNAVAILABLE: Duration = Duration::from_secs(5);

pub(crate) fn micros(duration: Duration) -> Micros {
    Micros::try_from(duration.as_micros()).unwrap_or(Micros::MAX)
}
