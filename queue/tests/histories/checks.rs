//! Invariants of the rows after each step.

use std::time::Duration;

use entities::JobId;
use entities::job::{Class, Model, State, turns};

use super::step::Cause;
use super::world::World;
use entities::process::DEAD_AFTER;

impl World {
    /// Reads the rows again and compares their changes with the permitted ones.
    pub(super) async fn check(&mut self, cause: Cause) {
        if cause == Cause::Nothing {
            return;
        }
        let before = std::mem::take(&mut self.rows);
        self.read_rows().await;
        if let Cause::Effect(claim) = &cause
            && !self.void.contains(claim)
        {
            let row = self.row(claim.job);
            let own = row.state == State::Running && row.claim() == *claim;
            assert!(own, "an effect of a run whose job is elsewhere: {claim:?}, {row:?}");
        }
        let after = std::mem::take(&mut self.rows);
        for (number, row) in after.iter().enumerate() {
            match before.iter().find(|old| old.job_id == row.job_id) {
                Some(old) if old != row => {
                    self.tell_change(number, old, row);
                    self.check_change(old, row, &cause);
                }
                Some(_) => {}
                None => assert!(matches!(cause, Cause::Enqueue | Cause::Page(_) | Cause::Write { .. })),
            }
            self.check_attempts(row);
        }
        assert!(after.len() >= before.len(), "a job is gone");
        self.rows = after;
        self.check_families();
        match &cause {
            Cause::Rescue => Class::ALL.iter().for_each(|&class| self.check_turns(class, 1)),
            Cause::Write { claim, .. } => {
                let row = self.row(claim.job);
                // A job that continues at once keeps its place.
                let waits = row.state == State::Queued && row.run_at > self.time();
                if row.guild_id.is_some() && (!row.state.is_open() || waits) {
                    let left = before.iter().find(|old| old.job_id == claim.job).unwrap().class;
                    self.check_turns(left, turns::share(left));
                }
            }
            _ => {}
        }
        if cause == Cause::Rescue {
            let (now, stale) = (self.now, DEAD_AFTER);
            self.beats.retain(|_, beaten| now.saturating_sub(*beaten) <= stale);
        }
        self.collect_messages().await;
    }

    fn tell_change(&mut self, number: usize, old: &Model, new: &Model) {
        self.tell(format!(
            "  {number}: {:?} {} -> {:?} {}, attempt {}, crashes {}, {:?} by {:?}",
            old.state, old.token, new.state, new.token, new.attempt, new.crashes, new.class, new.worker
        ));
    }

    fn check_change(&mut self, old: &Model, new: &Model, cause: &Cause) {
        assert!(new.token >= old.token, "the fencing token fell");
        assert_ne!(old.state, State::Succeeded, "one success");
        match (old.state, new.state) {
            (State::Queued, State::Running) => self.check_claim(old, new, cause),
            // A cancel, or the end of another chunk, may ask it to stop.
            (State::Running, State::Running) => {
                let own = matches!(cause, Cause::Page(claim) if *claim == old.claim());
                assert!(own || new.cancel_requested, "the run goes on");
            }
            (State::Waiting, new) => {
                assert!(matches!(new, State::Waiting | State::Succeeded | State::Failed | State::Cancelled));
            }
            (State::Running, _) => self.check_left(old, new, cause),
            (State::Dead | State::Failed, State::Queued) => {
                assert_eq!(*cause, Cause::Retry);
                self.burned.0.insert(new.job_id, 0);
            }
            (State::Held, State::Queued) => assert_ne!(*cause, Cause::Effect(new.claim())),
            (State::Held | State::Queued, State::Cancelled) => {
                assert!(old.parent_id.is_some() || *cause == Cause::Cancel);
            }
            (State::Queued, State::Queued) => assert_eq!(*cause, Cause::Retry, "made due by hand"),
            other => panic!("{other:?} by {cause:?}"),
        }
        if new.state != State::Running {
            assert_eq!(new.token, old.token, "only a claim raises the fencing token");
        }
    }

    fn check_claim(&self, old: &Model, new: &Model, cause: &Cause) {
        match cause {
            Cause::Message(token) => assert_eq!(*token, old.token, "claimed by a stale message"),
            Cause::Net => {}
            other => panic!("claimed by {other:?}"),
        }
        assert_eq!(new.token, old.token + 1);
        let hurried = matches!(cause, Cause::Message(_)) && self.hurried.contains(&old.job_id);
        assert!(old.run_at <= self.time() || hurried, "before its time");
        let worker = new.worker.as_deref().unwrap();
        assert!(self.beats.contains_key(worker), "a claim by {worker}, which was declared dead");
        let paused = self.pauses.iter().any(|pause| {
            pause.class == Some(old.class) || (pause.guild_id.is_some() && pause.guild_id == old.guild_id)
        });
        assert!(!paused, "a paused job is not started");
        for process in self.processes.iter().flatten().filter(|process| process.registration.name != worker) {
            let healthy = !process.frozen && !process.is_in_doubt();
            assert!(
                !healthy || !process.runs_job(new.job_id, &self.void),
                "it runs on two healthy processes"
            );
        }
    }

    /// A run has left its job, or was rescued.
    fn check_left(&mut self, old: &Model, new: &Model, cause: &Cause) {
        let worker = old.worker.as_deref().unwrap();
        let burned = match cause {
            Cause::Write { claim, burns } => {
                assert_eq!(*claim, old.claim(), "a late worker wrote");
                *burns
            }
            Cause::Look(name) => {
                assert_eq!(name, worker);
                let mut all = self.processes.iter().flatten();
                assert!(
                    !all.any(|process| process.claims().any(|claim| claim == old.claim())),
                    "a run with a task is no stray"
                );
                true
            }
            Cause::Rescue => {
                let silent = self.beats.get(worker).map(|beaten| self.now.saturating_sub(*beaten));
                let dead = silent.is_none_or(|silent| silent > DEAD_AFTER);
                assert!(dead, "the run of a healthy process was taken, silent for {silent:?}");
                old.class == Class::Quarantine
            }
            other => panic!("a run was taken by {other:?}"),
        };
        if new.state == State::Queued {
            *self.burned.0.entry(new.job_id).or_default() += i32::from(burned);
        }
        if new.state == State::Dead {
            assert!(old.attempt >= old.max_attempts, "dead with attempts left");
        }
        let crashed = *cause == Cause::Rescue && new.state == State::Queued;
        assert_eq!(new.crashes, if crashed { old.crashes + 1 } else { new.crashes });
    }

    fn check_attempts(&self, row: &Model) {
        let burned = self.burned.0.get(&row.job_id).copied().unwrap_or(0);
        let begun = row.state == State::Running
            || matches!(row.state, State::Waiting | State::Succeeded | State::Failed);
        if row.state.is_open() || begun {
            assert_eq!(row.attempt, burned + i32::from(begun), "an attempt was burned, or given: {row:?}");
        }
    }

    /// No job of a guild is held while fewer than these are in flight: one after a pass of the leader, the full
    /// share after the end of a run.
    fn check_turns(&self, class: Class, least: u64) {
        let of = |state: State| {
            let all = self.rows.iter().filter(move |row| row.class == class && row.guild_id.is_some());
            all.filter(move |row| row.state == state)
        };
        let may_begin =
            |row: &&Model| row.parent_id.is_none_or(|parent| self.row(parent).state == State::Waiting);
        let due = of(State::Queued).filter(|row| row.run_at <= self.time()).count();
        let in_flight = (due + of(State::Running).count()) as u64;
        let held: Vec<_> = of(State::Held).filter(may_begin).map(|row| self.number(row.job_id)).collect();
        assert!(held.is_empty() || in_flight >= least, "{held:?} are held for nothing at {}", self.time());
    }

    pub(super) fn chunks_of(&self, parent: JobId) -> impl Iterator<Item = &Model> {
        self.rows.iter().filter(move |row| row.parent_id == Some(parent))
    }

    /// A family ends as a whole, and with success only if every chunk had it.
    fn check_families(&self) {
        for row in self.rows.iter().filter(|row| !row.state.is_open()) {
            for chunk in self.chunks_of(row.job_id) {
                assert!(!chunk.state.is_open(), "a chunk without its parent: {chunk:?}, {row:?}");
                let own = row.state == State::Succeeded && !self.retired.contains(&chunk.job_id);
                assert!(!own || chunk.state == State::Succeeded, "success without a chunk: {chunk:?}");
            }
        }
    }

    pub(super) fn check_end(&self) {
        for row in self.rows.iter().filter(|row| row.state == State::Succeeded) {
            assert!(self.effects.contains(&row.claim()), "success without its effect");
        }
    }

    /// A process is stale since then.
    pub(super) fn heard_of(&mut self, worker: &str, beaten: Duration) {
        self.beats.insert(worker.to_owned(), beaten);
    }
}
