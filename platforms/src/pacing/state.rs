//! The pacing of one process, as a pure state machine: time is an argument.
//!
//! `acquire.lua`, `finish.lua` and `release.lua` implement the same machine on Redis; change a rule in both places.
//! `shared/conformance.rs` compares the two.

use std::collections::HashMap;

use super::bucket::{BucketState, BucketVerdict};
use super::budget::{self, Budget, CountedBy};
use super::fair_queue::{FairQueue, Left};
use super::invalid::InvalidAnswers;
use super::rate::Rules;
use super::sorted_set::SortedSet;
use crate::context::Priority;
use crate::pacing::answered::Answered;
use crate::pacing::numbers::{
    BULK_INVALID_LIMIT, INVALID_LIMIT, LONGEST_POLL, Micros, STRANGER_INVALID_LIMIT, VOID_FOR,
};

/// The requester of a permit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ask {
    /// The route's template and its guild, which the platform counts separately.
    pub(crate) route: &'static str,
    pub(crate) major: i64,
    pub(crate) priority: Priority,
}

impl Ask {
    pub(super) fn bucket(&self) -> String {
        format!("{}|{}", self.route, self.major)
    }

    /// Refusals in ten minutes at which it is no longer sent.
    pub(super) fn refusals(&self) -> u32 {
        match self.priority {
            Priority::Stranger => STRANGER_INVALID_LIMIT,
            Priority::Bulk => BULK_INVALID_LIMIT,
            Priority::Interactive => INVALID_LIMIT,
        }
    }

    pub(super) fn named_bucket(&self, bucket: &str) -> String {
        format!("{bucket}|{}", self.major)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Granted,
    /// No permit for this call yet. Retry after this long.
    Full(Micros),
    /// The bucket's first call is in flight. Retry shortly.
    Probing,
    /// A pause or an exhausted bucket.
    Paused(Micros),
    /// Too many invalid answers: calls of this priority pause for this long.
    Silenced(Micros),
}

#[derive(Debug)]
pub(super) struct PaceState {
    rules: Rules,
    /// Permits, and when each is free again.
    permits: SortedSet,
    /// Released before their grant: a late request is refused.
    void: SortedSet,
    queue: FairQueue,
    paused_until: Micros,
    buckets: HashMap<String, BucketState>,
    /// The bucket that a route belongs to, once known.
    names: HashMap<String, String>,
    invalid: InvalidAnswers,
}

/// Above this many buckets the idle ones are dropped.
const BUCKETS_KEPT: usize = 4096;

impl PaceState {
    pub(super) fn new(rules: Rules) -> Self {
        Self {
            rules,
            permits: SortedSet::default(),
            void: SortedSet::default(),
            queue: FairQueue::default(),
            paused_until: 0,
            buckets: HashMap::new(),
            names: HashMap::new(),
            invalid: InvalidAnswers::default(),
        }
    }

    /// The current budget.
    pub(super) fn set_rules(&mut self, rules: Rules) {
        self.rules = rules;
    }

    pub(super) fn budget(&mut self, now: Micros) -> Budget {
        self.permits.remove_up_to(now);
        Budget {
            in_use: u32::try_from(self.permits.len()).unwrap_or(u32::MAX),
            paused_for: budget::left(self.paused_until, now),
            paused_routes: budget::pauses(self.buckets.iter(), now),
            refusals: self.invalid.total(now),
            ..Budget::new(CountedBy::Process, &self.rules)
        }
    }

    #[cfg(test)]
    pub(super) fn buckets(&self) -> usize {
        self.buckets.len()
    }

    /// Idempotent: a permit is granted once.
    pub(super) fn acquire(&mut self, now: Micros, permit: u64, ask: &Ask) -> Verdict {
        self.permits.remove_up_to(now);
        self.void.remove_up_to(now);
        let id = permit.to_string();
        if self.permits.score(&id).is_some() {
            return Verdict::Granted;
        }
        if self.void.score(&id).is_some() {
            return Verdict::Full(LONGEST_POLL);
        }
        if let Some(wait) = self.invalid.silence(now, ask.refusals()) {
            return Verdict::Silenced(wait);
        }
        if self.paused_until > now {
            return Verdict::Paused(self.paused_until - now);
        }
        let name = self.name(ask);
        match self.buckets.entry(name.clone()).or_default().look(now) {
            BucketVerdict::Wait(wait) => return Verdict::Paused(wait),
            BucketVerdict::Probing => return Verdict::Probing,
            BucketVerdict::Open => {}
        }
        if let Some(wait) = self.full(now, ask) {
            return Verdict::Full(wait);
        }
        self.buckets.entry(name).or_default().pass(now, permit);
        if self.rules.capacity.is_some() {
            self.permits.insert(&id, now + self.rules.hold());
        }
        Verdict::Granted
    }

    fn name(&self, ask: &Ask) -> String {
        let route = ask.bucket();
        self.names.get(&route).unwrap_or(&route).clone()
    }

    /// How long to wait when no permit is available for this call.
    fn full(&mut self, now: Micros, ask: &Ask) -> Option<Micros> {
        let capacity = self.rules.capacity?;
        let held = u32::try_from(self.permits.len()).unwrap_or(u32::MAX);
        let earliest = self.permits.first().map_or(LONGEST_POLL, |(_, until)| until - now);
        let left = Left { permits: capacity.saturating_sub(held), earliest };
        match ask.priority {
            Priority::Interactive | Priority::Stranger => self.queue.interactive(now, left),
            Priority::Bulk => self.queue.bulk(now, ask.major, &self.rules, left),
        }
    }

    /// The request was sent. Idempotent.
    pub(super) fn finish(&mut self, now: Micros, permit: u64, ask: &Ask, answered: &Answered) {
        let id = permit.to_string();
        if self.permits.score(&id).is_some() {
            self.permits.insert(&id, now + self.rules.window);
        }
        let first = self.ended(permit, ask);
        if answered.invalid && first {
            self.invalid.count(now);
        }
        if let Some(pause) = answered.pause.filter(|pause| pause.global) {
            self.paused_until = self.paused_until.max(now + pause.wait);
        }
        if let Some(bucket) = &answered.bucket {
            self.names.insert(ask.bucket(), ask.named_bucket(&bucket.id));
        }
        let name = self.name(ask);
        self.buckets.entry(name).or_default().learn(now, answered);
        self.forget_idle(now);
    }

    /// No request was sent: the permit is free at once. A permit not yet granted never will be.
    pub(super) fn release(&mut self, now: Micros, permit: u64, ask: &Ask) {
        let id = permit.to_string();
        let under_way = self.ended(permit, ask);
        if self.permits.remove(&id) || under_way {
            let name = self.name(ask);
            self.buckets.entry(name).or_default().unspend(now);
        } else {
            self.void.insert(&id, now + VOID_FOR);
        }
    }

    /// The permit was granted under the name its route had then.
    fn ended(&mut self, permit: u64, ask: &Ask) -> bool {
        let names = [ask.bucket(), self.name(ask)];
        names.iter().any(|name| self.buckets.get_mut(name).is_some_and(|bucket| bucket.ended(permit)))
    }

    fn forget_idle(&mut self, now: Micros) {
        if self.buckets.len() > BUCKETS_KEPT {
            self.buckets.retain(|_, bucket| !bucket.idle(now));
            self.names.retain(|_, bucket| self.buckets.contains_key(bucket));
        }
    }
}
