//! One bucket of the platform in one guild, or one route whose bucket is not known yet.

use super::sorted_set::SortedSet;
use crate::pacing::answered::{Answered, Bucket};
use crate::pacing::numbers::{BUCKET_IDLE, LONGEST_SPAN, Micros, POLL, PROBE, REQUEST};

#[derive(Debug, Default)]
pub(super) struct BucketState {
    /// No answer seen yet: one call goes alone until this point in time.
    probing_until: Micros,
    known: bool,
    paused_until: Micros,
    /// `None`: the platform names no limit here.
    limit: Option<u32>,
    remaining: u32,
    reset_at: Micros,
    /// The platform said so; else it is assumed.
    told: bool,
    /// How long the platform's window is, as far as seen.
    span: Micros,
    used_at: Micros,
    /// Permits of calls under way, and when each is given up. They may still fall into the next window.
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
            Some(limit) if self.reset_at <= now && self.fresh(limit) == 0 => BucketVerdict::Wait(POLL),
            _ => BucketVerdict::Open,
        }
    }

    /// What is left of a new window's calls, if all those under way fall into it.
    fn fresh(&self, calls: u32) -> u32 {
        calls.saturating_sub(u32::try_from(self.under_way.len()).unwrap_or(u32::MAX))
    }

    /// A call passes: spend one, so that calls in flight are counted before their answers come.
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
            self.probing_until = now + PROBE;
        }
        self.under_way.insert(&permit.to_string(), now + REQUEST);
    }

    /// Whether the permit was under way here.
    pub(super) fn ended(&mut self, permit: u64) -> bool {
        self.under_way.remove(&permit.to_string())
    }

    /// A permit comes back for which nothing was sent.
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
        // Within the same window answers arrive out of order and do not see calls in flight: the smaller number is true.
        let same_window = self.limit.is_some() && now < self.reset_at;
        self.remaining =
            if same_window { self.remaining.min(bucket.remaining) } else { self.fresh(bucket.remaining) };
        // The platform's word replaces what was assumed, also when it is earlier. A sliding window's reset moves on with
        // each call, and answers arrive out of order: the latest is true.
        self.reset_at = if same_window && self.told { self.reset_at.max(reset_at) } else { reset_at };
        self.told = true;
        self.limit = Some(bucket.limit);
    }

    pub(super) fn idle(&self, now: Micros) -> bool {
        self.used_at + BUCKET_IDLE < now && self.paused_until < now
    }
}
