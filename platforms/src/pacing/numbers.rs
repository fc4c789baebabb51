//! The durations and shares of pacing; those that the scripts need are passed to them.

use std::time::Duration;

/// Points in time and durations, in microseconds: of the process's monotonic clock or of the Redis server's.
pub(crate) type Micros = u64;

pub(crate) const SECOND: Micros = 1_000_000;

/// Upper bound of a request's duration, from its permit to its response.
pub(crate) const LONGEST_REQUEST: Micros = 10 * SECOND;
/// A permit released before its grant is refused for this long: its request may be in a stalled server's buffer.
pub(crate) const VOID_FOR: Micros = 60 * SECOND;
/// The first call of a bucket runs alone to learn it; if its holder vanishes the next call tries after this.
pub(crate) const PROBE_TIMEOUT: Micros = 2 * SECOND;
/// Buckets unused for this long are deleted.
pub(crate) const BUCKET_IDLE: Micros = 600 * SECOND;
/// After a reset the next window is assumed to be as long as the longest one seen, but no longer than this.
pub(crate) const LONGEST_SPAN: Micros = 60 * SECOND;
/// Longest sleep between two requests: permits of calls in flight return at an unknown time.
pub(crate) const LONGEST_POLL: Micros = SECOND / 10;

/// The chat platform bans an address at 10,000 invalid answers (401, 403, 429) in 10 minutes. Calls of strangers stop at a
/// quarter of them, bulk at half, and all at this one, which leaves some to processes that count by themselves.
pub(crate) const INVALID_LIMIT: u32 = 8_000;
pub(crate) const BULK_INVALID_LIMIT: u32 = 5_000;
pub(crate) const STRANGER_INVALID_LIMIT: u32 = 2_500;
pub(crate) const INVALID_MINUTES: u64 = 10;

/// After this many interactive permits waiting bulk gets the next one: a quarter of all, so that a fifth is guaranteed.
pub(crate) const BULK_SHARE: u32 = 3;
/// A guild's bulk counts as waiting for this long after its next request was due.
pub(crate) const WAITING_GRACE: Micros = SECOND / 4;
/// A guild whose turn is far off repeats its request after this at the latest.
pub(crate) const LONGEST_TURN: Micros = SECOND / 2;
/// Stale guilds dropped per request.
pub(crate) const STALE_HEADS: usize = 8;
/// Polling interval of a waiting interactive call: a free permit stays unused until the next poll.
pub(crate) const INTERACTIVE_POLL: Micros = SECOND / 50;
/// Tolerance for late polls: timers, and the way to Redis.
pub(crate) const POLL_TOLERANCE: Micros = SECOND / 50;

/// Bulk waits this long for an unresponsive Redis before the job is deferred.
pub(crate) const BULK_PATIENCE: Duration = Duration::from_secs(5);

/// Retry time after a platform was unavailable; then the job's backoff takes over.
pub(crate) const RETRY_UNAVAILABLE: Duration = Duration::from_secs(5);

pub(crate) fn micros(duration: Duration) -> Micros {
    Micros::try_from(duration.as_micros()).unwrap_or(Micros::MAX)
}
