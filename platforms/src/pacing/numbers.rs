//! The spans and shares of pacing; those that the scripts need too are handed to them.

use std::time::Duration;

/// Points in time and spans, in microseconds: of the process's monotonic clock or of the Redis server's.
pub(crate) type Micros = u64;

pub(crate) const SECOND: Micros = 1_000_000;

/// No request takes longer, from its permit to its answer.
pub(crate) const REQUEST: Micros = 10 * SECOND;
/// A permit given back before it was granted is refused for this long: its question may lie in a stalled server's buffer.
pub(crate) const VOID: Micros = 60 * SECOND;
/// The first call of a bucket goes alone to learn it; if its holder vanishes the next one tries after this.
pub(crate) const PROBE: Micros = 2 * SECOND;
/// Buckets nobody used for this long are forgotten.
pub(crate) const BUCKET_IDLE: Micros = 600 * SECOND;
/// After a reset the next window is assumed to be as long as the longest one seen, but no longer than this.
pub(crate) const LONGEST_SPAN: Micros = 60 * SECOND;
/// Never sleep longer than this between two questions: permits of calls in flight come back at an unknown time.
pub(crate) const POLL: Micros = SECOND / 10;

/// The chat platform bans an address at 10,000 invalid answers (401, 403, 429) in 10 minutes. We stop bulk at half.
pub(crate) const INVALID_LIMIT: u32 = 5_000;
pub(crate) const INVALID_MINUTES: u64 = 10;

/// After so many permits for interactive calls bulk that waits has the next one: a quarter of all, so that a fifth is sure.
pub(crate) const BULK_SHARE: u32 = 3;
/// A guild's bulk counts as waiting for this long after it should have asked again.
pub(crate) const WAITING: Micros = SECOND / 4;
/// A guild whose turn is far off asks again after this at the latest.
pub(crate) const LONGEST_TURN: Micros = SECOND / 2;
/// Guilds found to ask no more that are dropped at one question.
pub(crate) const STALE_HEADS: usize = 8;
/// An interactive call that waits asks this often: a permit it waits for lies idle until it does.
pub(crate) const INTERACTIVE_POLL: Micros = SECOND / 50;
/// How late it may be: timers, and the way to Redis.
pub(crate) const LATE: Micros = SECOND / 50;

/// Bulk waits this long for a Redis that does not answer, before the job is put off.
pub(crate) const BULK_PATIENCE: Duration = Duration::from_secs(5);

/// When to come back after a platform was unavailable: the job's backoff takes over from there.
pub(crate) const RETRY_UNAVAILABLE: Duration = Duration::from_secs(5);

pub(crate) fn micros(duration: Duration) -> Micros {
    Micros::try_from(duration.as_micros()).unwrap_or(Micros::MAX)
}
