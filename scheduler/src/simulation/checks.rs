//! What holds, always.

use std::time::Duration;

use entities::Timestamp;
use entities::fired_schedule::{self, Model as Fired, TOO_FAR_AHEAD};
use entities::leader_lease;

use super::table::due;
use super::{CALM, PROMISED, SECOND, Seat, Simulation, State};
use crate::leader::NAME;
use crate::ticks::AGAIN_AFTER;

impl Simulation {
    /// After a look of the leader nothing is due on its clock that was so after the look before. `busy`: schedules that
    /// had a run in this second.
    pub(super) async fn check_look(&mut self, clock: Timestamp, busy: &[&str]) {
        let conn = self.place.context.database.read();
        let before = std::mem::take(&mut self.suspects);
        let due = due(clock).chain(before.iter().copied()).collect::<Vec<_>>();
        for due in due.into_iter().filter(|due| !busy.contains(&due.0) && !self.ledger.covers(*due)) {
            // Claimed by a process that did not live to say so, or open and to be repeated in a while?
            let covered = fired_schedule::is_covered(conn, due).await.unwrap();
            let open = fired_schedule::open(conn).await.unwrap();
            if !covered && !open.iter().any(|run| run.schedule == due.0) {
                assert!(!before.contains(&due), "missed: {due:?} at {:?}", self.now);
                self.suspects.push(due);
            }
        }
    }

    pub(super) async fn check_leaders(&mut self) {
        let leaders = self.seats.iter().filter(|seat| seat.believes()).count();
        assert!(leaders <= 1, "{leaders} lead at {:?}", self.now);
        let lease = leader_lease::find(self.place.context.database.read(), NAME).await.unwrap();
        let lease = lease.map_or(0, |lease| lease.lease);
        // Simulated seconds are short: what a process sent before it was harmed can come through some of them later.
        let sign_of_life = lease != std::mem::replace(&mut self.lease, lease);
        self.longest_without = self.longest_without.max(self.without_leader());
        if sign_of_life || self.seats.iter().any(Seat::leads) {
            self.led_at = self.now;
        }
        assert!(self.without_leader() <= PROMISED, "nobody leads at {:?}: {:?}", self.now, self.seats);
    }

    /// For how long somebody could have led and nobody did.
    fn without_leader(&self) -> Duration {
        let well = self.seats.iter().filter(|seat| matches!(seat.state, State::Up(_)));
        well.map(|seat| self.now.saturating_sub(seat.well_since.max(self.led_at))).max().unwrap_or_default()
    }

    pub(super) async fn check_calm(&mut self) {
        let calm = self.now.saturating_sub(self.calm_since);
        let up: Vec<&Seat> = self.seats.iter().filter(|seat| matches!(seat.state, State::Up(_))).collect();
        if calm == Duration::ZERO {
            let earliest = up.iter().map(|seat| seat.context.clock.now()).min();
            self.due_then = earliest.into_iter().flat_map(due).collect();
        } else if calm == CALM && !up.is_empty() && self.seats.iter().all(|seat| seat.right_at.is_none()) {
            *self.events.entry("calm").or_default() += 1;
            let rows = fired_schedule::all(self.place.context.database.read()).await.unwrap();
            let since = self.calm_since.saturating_sub(AGAIN_AFTER + SECOND);
            for due in self.due_then.iter().filter(|due| !self.ledger.has_failed(due.0, since)) {
                let times = due.1..=due.1 + TOO_FAR_AHEAD;
                let of_it = |row: &Fired| row.schedule == due.0 && times.contains(&row.tick);
                let ended = rows.iter().any(|row| of_it(row) && row.finished_at.is_some());
                assert!(ended, "not run after {calm:?} of calm: {due:?}");
            }
        }
    }
}

/// For the message when a check fails.
impl std::fmt::Debug for Seat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.state {
            State::Up(process) => write!(f, "up since {:?}: {process:?}", self.well_since),
            State::Frozen(process, until) => write!(f, "frozen until {until:?}: {process:?}"),
            State::Down(until) => write!(f, "down until {until:?}"),
        }
    }
}
