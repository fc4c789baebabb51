//! A load model: callers that pass through time and the pacing as the clients do. It records what they get, how long
//! they wait, and what the platform receives; and all requests, so that the scripts can replay them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

use super::rate::Rules;
use super::state::{Ask, PaceState, Verdict};
use crate::context::Priority::{Bulk, Interactive};
use crate::pacing::answered::Answered;
use crate::pacing::numbers::{Micros, SECOND};

/// The requests to the pacing, in order.
#[derive(Debug, Clone)]
pub(super) enum Step {
    Acquire(Micros, u64, Ask, Verdict),
    Finish(Micros, u64, Ask, Answered),
    Release(Micros, u64, Ask),
}

/// The parameters of a load.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) seed: u64,
    pub(super) length: Micros,
    /// Shortest and longest response time.
    pub(super) latency: (Micros, Micros),
    /// When each guild's bulk begins. It never runs out of work.
    pub(super) bulk_from: Vec<Micros>,
    /// Mean time between two interactive calls.
    pub(super) interactive_each: Option<Micros>,
    /// The longest timer delay, as on a busy machine.
    pub(super) late: Micros,
}

/// The most calls in flight of a bulk job.
const IN_FLIGHT: usize = 16;

/// The results of a load.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) steps: Vec<Step>,
    /// When requests reached the platform: at any time between grant and response.
    arrivals: Vec<Micros>,
    /// By guild, when its bulk got each permit.
    pub(super) bulk: BTreeMap<i64, Vec<Micros>>,
    /// How long each interactive call waited.
    pub(super) waits: Vec<Micros>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// The guild's bulk (or, for 0, the first waiting interactive call) requests a permit.
    Ask(i64),
    Answer {
        guild: i64,
        permit: u64,
    },
    /// An interactive call arrives.
    Come,
}

/// One caller for all interactive calls, one for each guild's bulk.
#[derive(Default)]
struct Caller {
    under_way: usize,
    /// The permit it requests.
    asking: Option<u64>,
}

struct Load {
    plan: Plan,
    state: PaceState,
    random: u64,
    events: BinaryHeap<Reverse<(Micros, u64, Event)>>,
    count: u64,
    callers: BTreeMap<i64, Caller>,
    came: VecDeque<Micros>,
    permits: u64,
    seen: Seen,
}

pub(super) fn walk(rules: Rules, plan: Plan) -> Seen {
    let mut load = Load {
        random: plan.seed,
        state: PaceState::new(rules),
        events: BinaryHeap::new(),
        count: 0,
        callers: BTreeMap::new(),
        came: VecDeque::new(),
        permits: 0,
        seen: Seen::default(),
        plan,
    };
    for (guild, from) in (1..).zip(load.plan.bulk_from.clone()) {
        load.wake(SECOND + from, guild);
    }
    if load.plan.interactive_each.is_some() {
        load.at(SECOND, Event::Come);
    }
    while let Some(Reverse((now, _, event))) = load.events.pop() {
        if now > SECOND + load.plan.length {
            break;
        }
        load.step(now, event);
    }
    load.seen
}

impl Load {
    fn at(&mut self, time: Micros, event: Event) {
        self.count += 1;
        self.events.push(Reverse((time, self.count, event)));
    }

    /// Splitmix: the same load for the same seed.
    fn draw(&mut self, from: Micros, to: Micros) -> Micros {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.random;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        from + (mixed ^ (mixed >> 31)) % (to - from + 1)
    }

    fn step(&mut self, now: Micros, event: Event) {
        match event {
            Event::Ask(guild) => self.ask(now, guild),
            Event::Answer { guild, permit } => {
                let answered = Answered { heard: true, ..Answered::default() };
                self.state.finish(now, permit, &ask(guild), &answered);
                self.seen.steps.push(Step::Finish(now, permit, ask(guild), answered));
                self.callers.entry(guild).or_default().under_way -= 1;
                self.wake(now, guild);
            }
            Event::Come => {
                self.came.push_back(now);
                self.wake(now, 0);
                let mean = self.plan.interactive_each.unwrap_or(SECOND);
                let gap = self.draw(0, 2 * mean);
                self.at(now + gap, Event::Come);
            }
        }
    }

    /// Makes the caller request a permit, if it has a reason to and has no open request.
    fn wake(&mut self, now: Micros, guild: i64) {
        let wants = if guild == 0 { !self.came.is_empty() } else { true };
        let caller = self.callers.entry(guild).or_default();
        if wants && caller.asking.is_none() && (guild == 0 || caller.under_way < IN_FLIGHT) {
            self.permits += 1;
            caller.asking = Some(self.permits);
            self.at(now, Event::Ask(guild));
        }
    }

    fn ask(&mut self, now: Micros, guild: i64) {
        let Some(permit) = self.callers.entry(guild).or_default().asking else { return };
        let verdict = self.state.acquire(now, permit, &ask(guild));
        self.seen.steps.push(Step::Acquire(now, permit, ask(guild), verdict));
        let pause = match verdict {
            Verdict::Granted => return self.granted(now, guild, permit),
            Verdict::Full(wait) | Verdict::Paused(wait) | Verdict::Silenced(wait) => wait,
            Verdict::Probing => SECOND / 100,
        };
        let late = self.draw(0, self.plan.late);
        self.at(now + pause + late, Event::Ask(guild));
    }

    fn granted(&mut self, now: Micros, guild: i64, permit: u64) {
        let latency = self.draw(self.plan.latency.0, self.plan.latency.1);
        let arrival = now + self.draw(0, latency);
        self.seen.arrivals.push(arrival);
        if guild == 0 {
            let came = self.came.pop_front().unwrap_or(now);
            self.seen.waits.push(now - came);
        } else {
            self.seen.bulk.entry(guild).or_default().push(now);
        }
        self.at(now + latency, Event::Answer { guild, permit });
        let caller = self.callers.entry(guild).or_default();
        caller.under_way += 1;
        caller.asking = None;
        self.wake(now, guild);
    }
}

fn ask(guild: i64) -> Ask {
    let priority = if guild == 0 { Interactive } else { Bulk };
    Ask { route: "PATCH /x", major: guild, priority }
}

impl Seen {
    /// The most requests in any sliding window at the platform.
    pub(super) fn most_in(&self, window: Micros) -> usize {
        let mut arrivals = self.arrivals.clone();
        arrivals.sort_unstable();
        let within = |index: usize| arrivals.partition_point(|at| *at < arrivals[index] + window) - index;
        (0..arrivals.len()).map(within).max().unwrap_or(0)
    }

    /// Requests between two points in time, counted from the start.
    pub(super) fn arrived(&self, from: Micros, to: Micros) -> usize {
        self.arrivals.iter().filter(|at| (SECOND + from..SECOND + to).contains(at)).count()
    }

    pub(super) fn longest_wait(&self) -> Micros {
        self.waits.iter().copied().max().unwrap_or(0)
    }
}
