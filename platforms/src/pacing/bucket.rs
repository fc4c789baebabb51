//! One bucket of the platform in one guild, or one route whose bucket is not known yet.

use super::sorted_set::SortedSet;
use crate::pacing::answered::{Answered, Bucket};
use crate::pacing::numbers::{
    BUCKET_IDLE, LONGEST_POLL, LONGEST_REQUEST, LONGEST_SPAN, Micros, PROBE_TIMEOUT,
};

#[derive(Debug, Default)]
pub(super) struct BucketState {
    /// No answer seen yet: one call runs alone until this point in time.
    probing_until: Micros,
    known: bool,
    paused_until: Micros,
    /// `None`: the platform names no limit here.
    limit: Option<u32>,
    remaining: u32,
    reset_at: Micros,
    /// Reported by the platform; else assumed.
    told: bool,
    /// The length of the platform's window, as far as observed.
    span: Micros,
    used_at: Micros,
    /// Permits of calls in flight, and when each expires. They may still fall into the next window.
    under_way: SortedSet,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BucketVerdict {
    Open,
    Wait(Micros),
    Probing,
}

impl BucketState {
    pub(super) fn look(&mut self, now: Micros) -> BucketVerdict {
        self.under_way.remove_up_to(now);
        if self.paused_until > now {
            return BucketVerdict::Wait(self.paused_until - now);
        }
        if !self.known {
            return if self.probing_until > now { BucketVerdict::Probing } else { BucketVerdict::Open };
        }
        match self.limit {
            Some(_) if self.reset_at > now && self.remaining == 0 => BucketVerdict::Wait(self.reset_at - now),
            Some(limit) if self.reset_at <= now && self.fresh(limit) == 0 => {
                BucketVerdict::Wait(LONGEST_POLL)
            }
            _ => BucketVerdict::Open,
        }
    }

    /// When calls pass again; a past time: now.
    pub(super) fn pauses_until(&self, now: Micros) -> Micros {
        let used_up = self.known && self.limit.is_some() && self.remaining == 0 && self.reset_at > now;
        if used_up { self.paused_until.max(self.reset_at) } else { self.paused_until }
    }

    /// The remaining calls of a new window, if all calls in flight fall into it.
    fn fresh(&self, calls: u32) -> u32 {
        calls.saturating_sub(u32::try_from(self.under_way.len()).unwrap_or(u32::MAX))
    }

    /// A call passes: spend one, so that calls in flight count before their answers come.
    pub(super) fn pass(&mut self, now: Micros, permit: u64) {
        self.used_at = now;
        if self.known {
            if let Some(limit) = self.limit {
                if self.reset_at <= now {
                    self.remaining = self.fresh(limit);
                    (self.reset_at, self.told) = (now + self.span, false);
                }
                self.remaining = self.remaining.saturating_sub(1);
            }
        } else {
            self.probing_until = now + PROBE_TIMEOUT;
        }
        self.under_way.insert(&permit.to_string(), now + LONGEST_REQUEST);
    }

    /// Whether the permit was in flight here.
    pub(super) fn ended(&mut self, permit: u64) -> bool {
        self.under_way.remove(&permit.to_string())
    }

    /// A permit is released without a sent request.
    pub(super) fn unspend(&mut self, now: Micros) {
        self.probing_until = 0;
        if let Some(limit) = self.limit.filter(|_| self.reset_at > now) {
            self.remaining = (self.remaining + 1).min(limit);
        }
    }

    pub(super) fn learn(&mut self, now: Micros, answered: &Answered) {
        self.used_at = now;
        self.probing_until = 0;
        self.known = self.known || answered.heard;
        if let Some(bucket) = &answered.bucket {
            self.learn_bucket(now, bucket);
        }
        if let Some(pause) = answered.pause.filter(|pause| !pause.global) {
            self.paused_until = self.paused_until.max(now + pause.wait);
        }
    }

    fn learn_bucket(&mut self, now: Micros, bucket: &Bucket) {
        let reset_at = now + bucket.reset_in();
        self.span = self.span.max(bucket.reset_in()).min(LONGEST_SPAN);
        // Within the same window answers arrive out of order and omit calls in flight: the smaller number is right.
        let same_window = self.limit.is_some() && now < self.reset_at;
        self.remaining =
            if same_window { self.remaining.min(bucket.remaining) } else { self.fresh(bucket.remaining) };
        // The platform's value replaces an assumed one, even an earlier one. A sliding window's reset moves on with
        // each call, and answers arrive out of order: the latest is right.
        self.reset_at = if same_window && self.told { self.reset_at.max(reset_at) } else { reset_at };
        self.told = true;
        self.limit = Some(bucket.limit);
    }

    pub(super) fn idle(&self, now: Micros) -> bool {
        self.used_at + BUCKET_IDLE < now && self.paused_until < now
    }
}
