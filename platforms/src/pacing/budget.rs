//! The budget of the pacing at this moment, read without changing it, for operators.

use std::time::Duration;

use crate::pacing::bucket::BucketState;
use crate::pacing::numbers::{BULK_INVALID_LIMIT, Micros};
use crate::pacing::rate::Rules;

/// Who counts the calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountedBy {
    /// This process, for itself.
    Process,
    /// Redis, for all processes.
    Redis,
    /// Redis does not answer: each process allows its interactive calls its share.
    Nobody,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budget {
    pub counted_by: CountedBy,
    /// Calls in one window; `None`: no limit.
    pub capacity: Option<u32>,
    pub window: Duration,
    /// Permits in use: of calls in flight, and of those whose window has not passed.
    pub in_use: u32,
    /// Permits that bulk calls leave free while interactive calls are active.
    pub reserve: u32,
    /// The platform asked for a pause of all calls.
    pub paused_for: Option<Duration>,
    /// Routes of single guilds that pause, longest first; of this process only.
    pub paused_routes: Vec<(String, Duration)>,
    /// Refusals (401, 403, 429) in ten minutes.
    pub refusals: u32,
    /// Refusals at which bulk calls pause.
    pub refusals_stop_at: u32,
}

impl Budget {
    pub(crate) fn new(counted_by: CountedBy, rules: &Rules) -> Self {
        Self {
            counted_by,
            capacity: rules.capacity,
            window: Duration::from_micros(rules.window),
            in_use: 0,
            reserve: rules.reserve,
            paused_for: None,
            paused_routes: Vec::new(),
            refusals: 0,
            refusals_stop_at: BULK_INVALID_LIMIT,
        }
    }
}

/// The time until then, if it is not over.
pub(super) fn left(until: Micros, now: Micros) -> Option<Duration> {
    (until > now).then(|| Duration::from_micros(until - now))
}

/// The longest pauses.
pub(super) fn pauses<'b>(
    buckets: impl Iterator<Item = (&'b String, &'b BucketState)>,
    now: Micros,
) -> Vec<(String, Duration)> {
    /// More would not be read.
    const BUCKETS_SHOWN: usize = 20;
    let paused =
        buckets.filter_map(|(name, bucket)| Some((name.clone(), left(bucket.pauses_until(now), now)?)));
    let mut paused: Vec<_> = paused.collect();
    paused.sort_by_key(|(_, wait)| std::cmp::Reverse(*wait));
    paused.truncate(BUCKETS_SHOWN);
    paused
}
