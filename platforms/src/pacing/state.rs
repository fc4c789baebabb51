//! The pacing of one process, as a pure state machine: time comes in as an argument.
//!
//! `acquire.lua` and `finish.lua` are the same machine on Redis; a rule changed here is changed there.

use std::collections::HashMap;

use super::invalid::InvalidAnswers;
use super::lane::{Lane, LaneVerdict};
use super::rate::Rules;
use super::turns::{Left, Turns};
use super::{Answered, Micros, POLL, SAFETY};
use crate::Priority;

/// Who asks for a permit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ask {
    /// The route's template and its guild: what the platform counts separately.
    pub(crate) route: &'static str,
    pub(crate) major: i64,
    pub(crate) priority: Priority,
}

impl Ask {
    pub(super) fn lane(&self) -> String {
        format!("{}|{}", self.route, self.major)
    }

    pub(super) fn bucket_lane(&self, bucket: &str) -> String {
        format!("{bucket}|{}", self.major)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Granted(u64),
    /// No permit for this call yet. Ask again after this long.
    Full(Micros),
    /// The lane's first call is under way. Ask again shortly.
    Probing,
    /// A pause or a spent bucket.
    Paused(Micros),
    /// Too many invalid answers: bulk stays silent for this long.
    Silenced(Micros),
}

#[derive(Debug)]
struct Held {
    id: u64,
    until: Micros,
}

#[derive(Debug)]
pub(super) struct PaceState {
    rules: Rules,
    held: Vec<Held>,
    turns: Turns,
    last_id: u64,
    paused_until: Micros,
    lanes: HashMap<String, Lane>,
    /// Which bucket a route turned out to belong to.
    buckets: HashMap<String, String>,
    invalid: InvalidAnswers,
}

/// Above this many lanes the idle ones are looked for and dropped.
const LANES_KEPT: usize = 4096;

impl PaceState {
    pub(super) fn new(rules: Rules) -> Self {
        Self {
            rules,
            held: Vec::new(),
            turns: Turns::default(),
            last_id: 0,
            paused_until: 0,
            lanes: HashMap::new(),
            buckets: HashMap::new(),
            invalid: InvalidAnswers::default(),
        }
    }

    pub(super) fn acquire(&mut self, now: Micros, ask: &Ask) -> Verdict {
        if let Some(wait) = self.invalid.silence(now).filter(|_| ask.priority == Priority::Bulk) {
            return Verdict::Silenced(wait);
        }
        if self.paused_until > now {
            return Verdict::Paused(self.paused_until - now);
        }
        let route = ask.lane();
        let lane = self.buckets.get(&route).unwrap_or(&route).clone();
        let look = self.lanes.get(&lane).map_or(LaneVerdict::Open, |lane| lane.look(now));
        match look {
            LaneVerdict::Wait(wait) => return Verdict::Paused(wait),
            LaneVerdict::Probing => return Verdict::Probing,
            LaneVerdict::Open => {}
        }
        if let Some(wait) = self.full(now, ask) {
            return Verdict::Full(wait);
        }
        self.lanes.entry(lane).or_default().pass(now);
        self.last_id += 1;
        if self.rules.capacity.is_some() {
            self.held.push(Held { id: self.last_id, until: now + SAFETY + self.rules.window });
        }
        Verdict::Granted(self.last_id)
    }

    /// How long to wait when there is no permit for this call.
    fn full(&mut self, now: Micros, ask: &Ask) -> Option<Micros> {
        let capacity = self.rules.capacity?;
        self.held.retain(|held| held.until > now);
        let held = u32::try_from(self.held.len()).unwrap_or(u32::MAX);
        let earliest = self.held.iter().map(|held| held.until - now).min().unwrap_or(POLL);
        let left = Left { permits: capacity.saturating_sub(held), earliest };
        match ask.priority {
            Priority::Interactive => self.turns.interactive(now, left),
            Priority::Bulk => self.turns.bulk(now, ask.major, &self.rules, left),
        }
    }

    pub(super) fn finish(&mut self, now: Micros, permit: u64, ask: &Ask, answered: &Answered) {
        if let Some(held) = self.held.iter_mut().find(|held| held.id == permit) {
            held.until = now + self.rules.window;
        }
        if answered.invalid {
            self.invalid.count(now);
        }
        if let Some(pause) = answered.pause.filter(|pause| pause.global) {
            self.paused_until = self.paused_until.max(now + pause.wait);
        }
        let route = ask.lane();
        if let Some(bucket) = &answered.bucket {
            self.buckets.insert(route.clone(), ask.bucket_lane(&bucket.id));
        }
        let lane = self.buckets.get(&route).unwrap_or(&route).clone();
        self.lanes.entry(lane).or_default().learn(now, answered);
        self.forget_idle(now);
    }

    fn forget_idle(&mut self, now: Micros) {
        if self.lanes.len() > LANES_KEPT {
            self.lanes.retain(|_, lane| !lane.idle(now));
            self.buckets.retain(|_, lane| self.lanes.contains_key(lane));
        }
    }
}
