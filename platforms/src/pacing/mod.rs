//! Pacing: every platform call takes a permit first, so that the platform's limits cannot be broken.
//!
//! # The limit
//! A permit is given back one window after the *answer* arrived. The request reached the platform somewhere between grant
//! and answer, so whatever falls into one sliding window there held its permit at the window's end, and no window can hold
//! more requests than there are permits. Of all rules that know no more than that, none gets more out of the platform: at an
//! answer time of L a window is touched by `rate × (window + L)` requests, any of which may have reached the platform
//! within it, so the rate is at most `permits / (window + L)`, and that is what calls get that take every permit as it comes
//! back: 50 a second at once, 47.6 at 50 ms, 45 at 111 ms, 43.5 at 150 ms.
//!
//! # Whose turn
//! Bulk takes whatever permit is free, as long as no interactive call waits: from the moment one finds none, bulk gets none
//! until it has been served. Where interactive calls alone would take all there is, bulk has one of four nevertheless. Bulk
//! is also spread evenly over the window, so permits come back evenly, and an interactive call waits for about one interval
//! (20 ms), at most for an answer's time and a burst's, not for a window. While interactive calls are about, bulk leaves a
//! few permits free, so that most of them do not wait at all. Guilds whose bulk waits take turns; a permit that the next one
//! does not fetch within an interval goes to another, so a busy machine costs neither pace nor shares.
//!
//! # Nothing leaks
//! The caller chooses the permit's id, so asking twice grants once, and a permit whose grant was never heard of can be given
//! back. Ends are repeated until Redis has confirmed them. A holder that vanished loses its permit by the time any request
//! of its would have ended.
//!
//! With Redis all processes share one set of permits. While Redis is down interactive calls are paced in-process at a
//! quarter of the rate; bulk calls wait a few seconds and are then refused (`Unavailable`), because nobody can know how many
//! processes are spending.

mod answered;
mod bucket;
mod fair_queue;
mod invalid;
#[cfg(test)]
mod load_model;
#[cfg(test)]
mod load_model_tests;
mod pacer;
mod permit;
mod rate;
mod shared;
mod sorted_set;
mod state;
mod streak;
#[cfg(test)]
mod tests;

use std::time::Duration;

pub(crate) use answered::{Answered, Bucket, Pause};
pub(crate) use pacer::Pacer;
pub(crate) use permit::Permit;
pub(crate) use rate::Rules;
pub(crate) use shared::SharedPace;
pub(crate) use state::Ask;
pub use streak::ForbiddenStreak;

/// Points in time and spans, in microseconds: of the process's monotonic clock or of the Redis server's.
pub(crate) type Micros = u64;

pub(crate) const SECOND: Micros = 1_000_000;

/// No request takes longer, from its permit to its answer.
const REQUEST: Micros = 10 * SECOND;
/// A permit given back before it was granted is refused for this long: its question may lie in a stalled server's buffer.
const VOID: Micros = 60 * SECOND;
/// The first call of a bucket goes alone to learn it; if its holder vanishes the next one tries after this.
const PROBE: Micros = 2 * SECOND;
/// Buckets nobody used for this long are forgotten.
const BUCKET_IDLE: Micros = 600 * SECOND;
/// After a reset the next window is assumed to be as long as the longest one seen, but no longer than this.
const LONGEST_SPAN: Micros = 60 * SECOND;
/// Never sleep longer than this between two questions: permits of calls in flight come back at an unknown time.
const POLL: Micros = SECOND / 10;

/// The chat platform bans an address at 10,000 invalid answers (401, 403, 429) in 10 minutes. We stop bulk at half.
pub(crate) const INVALID_LIMIT: u32 = 5_000;
pub(crate) const INVALID_MINUTES: u64 = 10;

/// After so many permits for interactive calls bulk that waits has the next one: a quarter of all, so that a fifth is sure.
const BULK_SHARE: u32 = 3;
/// A guild's bulk counts as waiting for this long after it should have asked again.
const WAITING: Micros = SECOND / 4;
/// A guild whose turn is far off asks again after this at the latest.
const LONGEST_TURN: Micros = SECOND / 2;
/// Guilds found to ask no more that are dropped at one question.
const STALE_HEADS: usize = 8;
/// An interactive call that waits asks this often: a permit it waits for lies idle until it does.
const INTERACTIVE_POLL: Micros = SECOND / 50;
/// How late it may be: timers, and the way to Redis.
const LATE: Micros = SECOND / 50;

/// Bulk waits this long for a Redis that does not answer, before the job is put off.
const BULK_PATIENCE: Duration = Duration::from_secs(5);

/// When to come back after a platform was unavailable: the job's backoff takes over from there.
pub(crate) const RETRY_UNAVAILABLE: Duration = Duration::from_secs(5);

pub(crate) fn micros(duration: Duration) -> Micros {
    Micros::try_from(duration.as_micros()).unwrap_or(Micros::MAX)
}
