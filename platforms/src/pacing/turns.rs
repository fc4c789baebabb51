//! Who takes the next permit: an interactive call that waits before any bulk call, of the guilds whose bulk waits the one
//! that had least in the last window, and bulk calls evenly spread over time, so that permits come back one by one.

use std::collections::{HashMap, VecDeque};

use super::rate::Rules;
use super::{INTERACTIVE_POLL, LATE, Micros, POLL, WAITING};

/// What is left when somebody asks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Left {
    pub(super) permits: u32,
    /// Until the next permit comes back, as far as known.
    pub(super) earliest: Micros,
}

#[derive(Debug, Default)]
pub(super) struct Turns {
    /// When an interactive call asked last.
    asked_at: Option<Micros>,
    /// An interactive call that found no permit will have asked again by then.
    expected_until: Micros,
    /// When the next bulk call would go at an even pace.
    even_at: Micros,
    /// Guilds whose bulk has to wait, and when it asked last.
    waiting: HashMap<i64, Micros>,
    /// When each guild's bulk got its permits of the last window.
    served: HashMap<i64, VecDeque<Micros>>,
    /// When a permit was first left to a guild that waits, since the last one was taken.
    left_at: Option<Micros>,
}

impl Turns {
    /// How long an interactive call has to wait; `None`: it takes a permit.
    pub(super) fn interactive(&mut self, now: Micros, left: Left) -> Option<Micros> {
        self.asked_at = Some(now);
        if left.permits > 0 {
            return None;
        }
        let wait = left.earliest.min(INTERACTIVE_POLL);
        self.expected_until = self.expected_until.max(now + wait + LATE);
        Some(wait)
    }

    /// How long this guild's bulk has to wait; `None`: it takes a permit.
    pub(super) fn bulk(&mut self, now: Micros, guild: i64, rules: &Rules, left: Left) -> Option<Micros> {
        self.waiting.retain(|_, asked| *asked + WAITING > now);
        self.forget_served(now, rules.window);
        let wait = self.bulk_wait(now, rules, left).or_else(|| self.leave(now, guild, rules));
        if wait.is_some() {
            self.waiting.insert(guild, now);
        } else {
            self.waiting.remove(&guild);
            self.served.entry(guild).or_default().push_back(now);
            self.left_at = None;
            self.even_at = self.even_at.max(now) + rules.interval();
        }
        wait.map(|wait| wait.min(POLL))
    }

    fn bulk_wait(&self, now: Micros, rules: &Rules, left: Left) -> Option<Micros> {
        let about = self.asked_at.is_some_and(|asked| asked + rules.about() > now);
        let kept = if about { rules.reserve } else { 0 };
        if self.expected_until > now {
            Some(self.expected_until - now)
        } else if left.permits <= kept {
            Some(left.earliest)
        } else {
            (self.even_at > now + rules.lead()).then(|| self.even_at - now - rules.lead())
        }
    }

    /// Leaves a free permit to a guild that waits and had less, but for one interval only: should it come late, it has
    /// its share from the next ones, and nothing lies idle.
    fn leave(&mut self, now: Micros, guild: i64, rules: &Rules) -> Option<Micros> {
        if !self.another_is_next(guild) {
            return None;
        }
        let until = *self.left_at.get_or_insert(now) + rules.interval();
        (until > now).then(|| until - now)
    }

    /// A guild waits that had less in the last window, or as much but longer ago.
    fn another_is_next(&self, guild: i64) -> bool {
        let had = |guild| {
            let served = self.served.get(guild);
            served.map_or((0, 0), |at| (at.len(), at.back().copied().unwrap_or(0)))
        };
        let mine = had(&guild);
        self.waiting.keys().any(|other| *other != guild && had(other) < mine)
    }

    fn forget_served(&mut self, now: Micros, window: Micros) {
        self.served.retain(|_, served| {
            while served.front().is_some_and(|at| *at + window <= now) {
                served.pop_front();
            }
            !served.is_empty()
        });
    }
}
