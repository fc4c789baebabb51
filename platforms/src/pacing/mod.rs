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

pub(crate) mod answered;
mod bucket;
mod end;
mod fair_queue;
mod invalid;
#[cfg(test)]
mod load_model;
#[cfg(test)]
mod load_model_tests;
pub(crate) mod numbers;
mod pacer;
mod permit;
mod rate;
mod shared;
mod sorted_set;
mod sources;
mod state;
pub(crate) mod streak;
#[cfg(test)]
mod tests;

pub(crate) use answered::Answered;
pub(crate) use pacer::Pacer;
pub(crate) use permit::Permit;
pub(crate) use rate::Rules;
pub(crate) use shared::SharedPace;
pub(crate) use state::Ask;
