//! What an answer teaches the pacing: its bucket, a pause it asks for, whether it counts as invalid.

use crate::pacing::numbers::{Micros, SECOND};

/// Added to a bucket's reset: headers are rounded, and the platform's clock ticks in its own steps.
const RESET_MARGIN: Micros = SECOND / 50;

/// `X-RateLimit-*` of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bucket {
    /// The platform's name for the bucket, without the guild.
    pub(crate) id: String,
    pub(crate) limit: u32,
    pub(crate) remaining: u32,
    pub(crate) reset_after: Micros,
}

impl Bucket {
    /// When the window has surely ended. Every answer says it too late by its way back, so the earliest is the nearest.
    pub(super) fn reset_in(&self) -> Micros {
        if self.reset_after == 0 { 0 } else { self.reset_after + RESET_MARGIN }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pause {
    /// Everything waits, not only this bucket.
    pub(crate) global: bool,
    pub(crate) wait: Micros,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Answered {
    /// An answer came. Without one (timeout, network) nothing is known about the lane.
    pub(crate) heard: bool,
    pub(crate) bucket: Option<Bucket>,
    pub(crate) pause: Option<Pause>,
    /// 401, 403 or 429: counts towards the address ban.
    pub(crate) invalid: bool,
}
