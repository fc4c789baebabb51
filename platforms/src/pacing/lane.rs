//! A lane: one bucket of the platform in one guild, or one route whose bucket is not known yet.

use super::{Answered, Bucket, LANE_IDLE, LONGEST_SPAN, Micros, PROBE};

#[derive(Debug, Default)]
pub(super) struct Lane {
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
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LaneVerdict {
    Open,
    Wait(Micros),
    Probing,
}

impl Lane {
    pub(super) fn look(&self, now: Micros) -> LaneVerdict {
        if self.paused_until > now {
            return LaneVerdict::Wait(self.paused_until - now);
        }
        if !self.known {
            return if self.probing_until > now { LaneVerdict::Probing } else { LaneVerdict::Open };
        }
        match self.limit {
            Some(_) if self.reset_at > now && self.remaining == 0 => LaneVerdict::Wait(self.reset_at - now),
            _ => LaneVerdict::Open,
        }
    }

    /// A call passes: spend one, so that calls in flight are counted before their answers come.
    pub(super) fn pass(&mut self, now: Micros) {
        self.used_at = now;
        if !self.known {
            self.probing_until = now + PROBE;
            return;
        }
        let Some(limit) = self.limit else { return };
        if self.reset_at <= now {
            self.remaining = limit;
            (self.reset_at, self.told) = (now + self.span, false);
        }
        self.remaining = self.remaining.saturating_sub(1);
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
        let same_window = self.limit.is_some() && reset_at <= self.reset_at + self.span / 2;
        self.remaining = if same_window { self.remaining.min(bucket.remaining) } else { bucket.remaining };
        // The platform's word replaces what was assumed, also when it is earlier. A sliding window's reset moves on with
        // each call, and answers arrive out of order: the latest is true.
        self.reset_at = if same_window && self.told { self.reset_at.max(reset_at) } else { reset_at };
        self.told = true;
        self.limit = Some(bucket.limit);
    }

    pub(super) fn idle(&self, now: Micros) -> bool {
        self.used_at + LANE_IDLE < now && self.paused_until < now
    }
}
