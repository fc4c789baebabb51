//! Pacing: every platform call takes a permit first, so the platform's limits are never exceeded.
//!
//! # The limit
//! A permit returns one window after the *answer* arrived. The request reached the platform somewhere between grant and
//! answer, so every request in one sliding window there held its permit at the window's end, and no window can hold
//! more requests than there are permits. No rule with the same information reaches a higher rate: at a
//! response time of L a window is touched by `rate × (window + L)` requests, any of which may have reached
//! the platform within it, so the rate is at most `permits / (window + L)`. Calls that take every permit as
//! it returns reach that rate: 50 a second at no delay, 47.6 at 50 ms, 45 at 111 ms, 43.5 at 150 ms.
//!
//! # Order
//! Bulk takes any free permit, as long as no interactive call waits: after one finds no permit, bulk gets none
//! until it is served. If interactive calls alone would take all permits, bulk still gets one of four. Bulk is
//! also spread evenly over the window, so permits return evenly, and an interactive call waits for about one interval
//! (20 ms), at most for a response time and a burst, not for a window. While interactive calls are active, bulk leaves
//! a few permits free, so that most of them do not wait at all. Guilds with waiting bulk take turns; a permit that the
//! next guild does not fetch within an interval goes to another, so a busy machine lowers neither rate nor shares.
//!
//! # No leaks
//! The caller chooses the permit's id, so a repeated request grants once, and a permit whose grant was not received can
//! be released. Ends are repeated until Redis has confirmed them. The permit of a vanished holder expires after the
//! longest possible request.
//!
//! # Refusals
//! The chat platform bans an address for too many refusals (401, 403, 429) in ten minutes, whoever caused them. All are
//! counted together, those of sign-ins too, and calls stop before: first those of strangers, then bulk, then all.
//!
//! With Redis all processes share one set of permits. Each is told how many ask for them; while Redis is down, interactive
//! calls are paced in-process at the rate divided by that number; bulk calls wait a few seconds and are then refused
//! (`Unavailable`). If Redis has lost its data, all calls wait for one window, because those of the last one are unknown.

pub(crate) mod answered;
mod bucket;
pub(crate) mod budget;
mod end;
mod fair_queue;
pub(crate) mod forbidden_breaker;
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
#[cfg(test)]
mod tests;

pub(crate) use answered::{Answered, Pause};
pub(crate) use pacer::Pacer;
pub(crate) use permit::Permit;
pub(crate) use rate::Rules;
pub(crate) use shared::SharedPace;
pub(crate) use state::Ask;
