//! Who takes the next permit: an interactive call that waits before any bulk call, of the guilds whose bulk waits the one
//! served longest ago, and bulk calls evenly spread over time, so that permits come back one by one.

use std::collections::HashMap;

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
    /// When each guild's bulk got its last permit, if within a window.
    served: HashMap<i64, Micros>,
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
        self.served.retain(|_, at| *at + rules.window > now);
        let wait = self.bulk_wait(now, guild, rules, left).map(|wait| wait.min(POLL));
        if wait.is_some() {
            self.waiting.insert(guild, now);
        } else {
            self.waiting.remove(&guild);
            self.served.insert(guild, now);
            self.even_at = self.even_at.max(now) + rules.interval();
        }
        wait
    }

    fn bulk_wait(&self, now: Micros, guild: i64, rules: &Rules, left: Left) -> Option<Micros> {
        let about = self.asked_at.is_some_and(|asked| asked + rules.about() > now);
        let kept = if about { rules.reserve } else { 0 };
        if self.expected_until > now {
            Some(self.expected_until - now)
        } else if left.permits <= kept {
            Some(left.earliest)
        } else if self.even_at > now + rules.lead() {
            Some(self.even_at - now - rules.lead())
        } else {
            let ahead = self.ahead_of(guild);
            (ahead > 0).then(|| rules.interval() * ahead)
        }
    }

    /// Guilds that wait and were served longer ago.
    fn ahead_of(&self, guild: i64) -> u64 {
        let served = |guild| self.served.get(guild).copied().unwrap_or(0);
        let mine = served(&guild);
        self.waiting.keys().filter(|other| **other != guild && served(other) < mine).map(|_| 1).sum()
    }
}
