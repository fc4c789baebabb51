//! The pacing's data from a response: its bucket, its pause, whether it counts as invalid.

use crate::pacing::numbers::{Micros, SECOND};

/// Added to a bucket's reset: headers are rounded, and the platform's clock has its own resolution.
const RESET_MARGIN: Micros = SECOND / 50;

/// `X-RateLimit-*` of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bucket {
    /// The platform's name for the bucket, without the guild.
    pub(crate) id: String,
    pub(crate) limit: u32,
    pub(crate) remaining: u32,
    pub(crate) reset_after: Micros,
}

impl Bucket {
    /// The end of the window, plus a margin. Every response reports it late by its travel time, so the earliest is the
    /// nearest.
    pub(super) fn reset_in(&self) -> Micros {
        if self.reset_after == 0 { 0 } else { self.reset_after + RESET_MARGIN }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pause {
    /// Applies to all calls, not only this bucket.
    pub(crate) global: bool,
    pub(crate) wait: Micros,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Answered {
    /// A response arrived. Without one (timeout, network) the bucket stays unknown.
    pub(crate) heard: bool,
    pub(crate) bucket: Option<Bucket>,
    pub(crate) pause: Option<Pause>,
    /// 401, 403 or 429: counts towards the address ban.
    pub(crate) invalid: bool,
}
