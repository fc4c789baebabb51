//! The model: what the row should say after each step.

use std::time::Duration;

use entities::job::State;
use entities::job::history::KEPT;
use entities::job::loss::FREE;
use queue::LEASE;

use super::{PAUSE, Step};

/// What the row should say, in times since the start.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Model {
    pub(super) state: State,
    pub(super) attempt: i32,
    pub(super) lease: i64,
    pub(super) lease_until: Option<Duration>,
    pub(super) run_at: Duration,
    pub(super) cancel_requested: bool,
    pub(super) losses: i32,
    /// Attempt and word of each try that did not end well.
    pub(super) history: Vec<(i32, String)>,
    pub(super) now: Duration,
}

impl Model {
    fn holds(&self, age: i64) -> bool {
        self.state == State::Running && age == 0 && self.lease > 0
    }

    fn leave(&mut self, state: State) {
        self.state = state;
        self.lease_until = None;
    }

    fn claim(&mut self) -> bool {
        self.state = State::Running;
        self.attempt += 1;
        self.lease += 1;
        self.lease_until = Some(self.now + LEASE);
        true
    }

    fn note(&mut self, word: &str) {
        self.history.push((self.attempt, word.to_owned()));
        if self.history.len() > KEPT {
            self.history.remove(0);
        }
    }

    fn lose(&mut self) -> bool {
        self.note("lost");
        self.leave(if self.losses == 0 { State::Queued } else { State::Retrying });
        self.run_at = self.now + pause(self.losses).unwrap_or_default();
        self.attempt -= i32::from(self.losses < FREE);
        self.losses += 1;
        true
    }

    /// Applies the step and says whether it should hit.
    pub(super) fn apply(&mut self, step: &Step) -> bool {
        match *step {
            Step::Claim => self.state == State::Queued && self.losses < FREE && self.claim(),
            Step::ClaimSuspect => self.state == State::Queued && self.losses >= FREE && self.claim(),
            Step::Postpone => {
                let may = self.state == State::Queued && self.losses >= FREE;
                if may {
                    self.leave(State::Retrying);
                    self.run_at = self.now + PAUSE;
                }
                may
            }
            Step::Redeliver(age) => self.state == State::Running && age == 1 && self.lose(),
            Step::Pass(time) => {
                self.now += time;
                true
            }
            Step::Promote => {
                let due = matches!(self.state, State::Retrying | State::Scheduled) && self.run_at <= self.now;
                if due {
                    self.leave(State::Queued);
                }
                due
            }
            Step::TakeBack => {
                self.state == State::Running && self.lease_until < Some(self.now) && self.lose()
            }
            Step::Cancel => {
                let open = self.state.is_open();
                self.cancel_requested |= open;
                if matches!(self.state, State::Queued | State::Retrying | State::Scheduled) {
                    self.leave(State::Cancelled);
                }
                open
            }
            Step::Replay => {
                let over = matches!(self.state, State::Failed | State::Dead);
                if over {
                    (self.state, self.attempt, self.cancel_requested) = (State::Queued, 0, false);
                    self.run_at = self.now;
                }
                over
            }
            Step::Beat(age)
            | Step::Succeed(age)
            | Step::SucceedInBatch(age)
            | Step::Fail(age)
            | Step::Retry(age)
            | Step::GiveBack(age) => self.holds(age) && self.apply_held(step),
        }
    }

    fn apply_held(&mut self, step: &Step) -> bool {
        match step {
            Step::Beat(_) => self.lease_until = Some(self.now + LEASE),
            Step::Succeed(_) | Step::SucceedInBatch(_) => self.leave(State::Succeeded),
            Step::Fail(_) => {
                self.note("failed");
                self.leave(State::Failed);
            }
            Step::Retry(_) if self.cancel_requested => return false,
            Step::Retry(_) => {
                self.note("failed");
                self.losses = 0;
                self.leave(State::Retrying);
                self.run_at = self.now + PAUSE;
            }
            Step::GiveBack(_) => {
                self.leave(State::Queued);
                self.attempt -= 1;
                self.losses = 0;
                self.run_at = self.now;
            }
            _ => unreachable!("only steps of a holder"),
        }
        true
    }
}

/// As the queue has it: the first loss costs no time.
pub(super) fn pause(losses: i32) -> Option<Duration> {
    (losses > 0).then_some(PAUSE)
}
