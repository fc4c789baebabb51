//! Decides the order of permits. A waiting interactive call precedes bulk, but waiting bulk gets at least one of
//! four. Guilds with waiting bulk take turns by start-time fair queuing, and bulk calls are spread evenly over time, so
//! permits return one by one.
//!
//! A guild's turn is a number: served guilds queue behind all waiting ones. A request's cost is independent of their
//! number.

use super::rate::Rules;
use super::sorted_set::SortedSet;
use crate::pacing::numbers::{
    BULK_SHARE, INTERACTIVE_POLL, LONGEST_POLL, LONGEST_TURN, Micros, POLL_TOLERANCE, STALE_HEADS,
    WAITING_GRACE,
};

/// The permits available to a request.
#[derive(Debug, Clone, Copy)]
pub(super) struct Left {
    pub(super) permits: u32,
    /// Time until the next permit returns, as far as known.
    pub(super) earliest: Micros,
}

#[derive(Debug, Default)]
pub(super) struct FairQueue {
    /// The time of the last interactive request.
    asked_at: Option<Micros>,
    /// An interactive call without a permit repeats its request by then.
    expected_until: Micros,
    /// The time of the next bulk call at an even pace.
    even_at: Micros,
    /// Guilds with waiting bulk, by turn.
    waiting: SortedSet,
    /// When the next request of each of them is due.
    back_at: SortedSet,
    /// The turn served last.
    turn: u64,
    /// The next turn of recently served guilds; all others start at `turn`.
    next: SortedSet,
    /// Since when a free permit has been reserved for a waiting guild, after the last grant.
    left_at: Option<Micros>,
    /// Permits that interactive calls took while bulk waited, since the last bulk permit.
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
        self.expected_until = self.expected_until.max(now + wait + POLL_TOLERANCE);
        Some(wait)
    }

    /// How long this guild's bulk has to wait; `None`: it takes a permit.
    pub(super) fn bulk(&mut self, now: Micros, guild: i64, rules: &Rules, left: Left) -> Option<Micros> {
        self.forget_gone(now);
        let guild = guild.to_string();
        let turn = self.turn_of(&guild);
        let wait = self.bulk_wait(now, rules, left).or_else(|| self.leave(now, &guild, turn, rules));
        if let Some(wait) = wait {
            self.waiting.insert(&guild, turn);
            let wait = wait.min(LONGEST_POLL).max(self.turn_in(&guild, rules));
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

    /// Half of the minimum time for the guilds before it.
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

    /// Reserves a free permit for the next guild, for one interval only: a late guild gets its share from the next
    /// permits, and no permit stays idle.
    fn leave(&mut self, now: Micros, guild: &str, turn: u64, rules: &Rules) -> Option<Micros> {
        let (first, theirs) = self.first()?;
        if first == guild || theirs >= turn {
            return None;
        }
        let until = *self.left_at.get_or_insert(now) + rules.interval();
        (until > now).then(|| until - now)
    }

    /// The next guild. Drops a few stale guilds each time.
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
        self.back_at.remove_up_to(now.saturating_sub(WAITING_GRACE));
    }
}
