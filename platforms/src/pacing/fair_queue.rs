//! Who takes the next permit. An interactive call that waits comes before bulk, but bulk that waits has at least one of
//! four. Guilds whose bulk waits take turns by start-time fair queuing, and bulk calls are spread evenly over time, so that
//! permits come back one by one.
//!
//! A guild's turn is a number: served guilds come again behind all that wait. No question costs more with more guilds.

use super::rate::Rules;
use super::sorted_set::SortedSet;
use crate::pacing::numbers::{
    BULK_SHARE, INTERACTIVE_POLL, LATE, LONGEST_TURN, Micros, POLL, STALE_HEADS, WAITING,
};

/// What is left when somebody asks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Left {
    pub(super) permits: u32,
    /// Until the next permit comes back, as far as known.
    pub(super) earliest: Micros,
}

#[derive(Debug, Default)]
pub(super) struct FairQueue {
    /// When an interactive call asked last.
    asked_at: Option<Micros>,
    /// An interactive call that found no permit will have asked again by then.
    expected_until: Micros,
    /// When the next bulk call would go at an even pace.
    even_at: Micros,
    /// Guilds whose bulk waits, by turn.
    waiting: SortedSet,
    /// When each of them will have asked again.
    back_at: SortedSet,
    /// The turn that was served last.
    turn: u64,
    /// The next turn of guilds served lately; all others come at `turn`.
    next: SortedSet,
    /// When a permit was first left to a guild that waits, since the last one was taken.
    left_at: Option<Micros>,
    /// Permits that interactive calls took while bulk waited, since bulk had its last one.
    overtaken: u32,
}

impl FairQueue {
    /// How long an interactive call has to wait; `None`: it takes a permit.
    pub(super) fn interactive(&mut self, now: Micros, left: Left) -> Option<Micros> {
        self.asked_at = Some(now);
        self.forget_gone(now);
        let bulk_waits = !self.back_at.is_empty();
        let owed = bulk_waits && self.overtaken >= BULK_SHARE;
        if left.permits > u32::from(owed) {
            self.overtaken = if bulk_waits { self.overtaken.saturating_add(1).min(BULK_SHARE) } else { 0 };
            return None;
        }
        let wait = left.earliest.min(INTERACTIVE_POLL);
        self.expected_until = self.expected_until.max(now + wait + LATE);
        Some(wait)
    }

    /// How long this guild's bulk has to wait; `None`: it takes a permit.
    pub(super) fn bulk(&mut self, now: Micros, guild: i64, rules: &Rules, left: Left) -> Option<Micros> {
        self.forget_gone(now);
        let guild = guild.to_string();
        let turn = self.turn_of(&guild);
        let wait = self.bulk_wait(now, rules, left).or_else(|| self.leave(now, (&guild, turn), rules));
        if let Some(wait) = wait {
            self.waiting.insert(&guild, turn);
            let wait = wait.min(POLL).max(self.turn_in(&guild, rules));
            self.back_at.insert(&guild, now + wait);
            return Some(wait);
        }
        self.waiting.remove(&guild);
        self.back_at.remove(&guild);
        self.turn = self.turn.max(turn);
        self.next.insert(&guild, turn + 1);
        self.next.remove_up_to(self.turn);
        self.left_at = None;
        self.overtaken = 0;
        self.even_at = self.even_at.max(now) + rules.interval();
        None
    }

    /// Half of the time that those before it need at the least.
    fn turn_in(&self, guild: &str, rules: &Rules) -> Micros {
        let most = LONGEST_TURN * 2 / rules.interval().max(1) + 2;
        let rank = self.waiting.rank(guild, usize::try_from(most).unwrap_or(usize::MAX));
        (rank.saturating_sub(1) as u64 * rules.interval() / 2).min(LONGEST_TURN)
    }

    fn turn_of(&self, guild: &str) -> u64 {
        let next = || self.next.score(guild).unwrap_or(0).max(self.turn);
        self.waiting.score(guild).unwrap_or_else(next)
    }

    fn bulk_wait(&self, now: Micros, rules: &Rules, left: Left) -> Option<Micros> {
        if self.overtaken >= BULK_SHARE {
            return (left.permits == 0).then_some(left.earliest);
        }
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

    /// Leaves a free permit to the guild whose turn it is, but for one interval only: should it come late, it has its share
    /// from the next ones, and nothing lies idle.
    fn leave(&mut self, now: Micros, (guild, turn): (&str, u64), rules: &Rules) -> Option<Micros> {
        let (first, theirs) = self.first()?;
        if first == guild || theirs >= turn {
            return None;
        }
        let until = *self.left_at.get_or_insert(now) + rules.interval();
        (until > now).then(|| until - now)
    }

    /// The guild whose turn it is. A few of those that ask no more are dropped each time.
    fn first(&mut self) -> Option<(String, u64)> {
        for _ in 0..STALE_HEADS {
            let (guild, turn) = self.waiting.first()?;
            if self.back_at.score(&guild).is_some() {
                return Some((guild, turn));
            }
            self.waiting.remove(&guild);
        }
        None
    }

    fn forget_gone(&mut self, now: Micros) {
        self.back_at.remove_up_to(now.saturating_sub(WAITING));
    }
}
