//! Simulated histories: several worker processes with wrong clocks, a broker that loses, duplicates, delays and
//! reorders messages, processes that die, freeze and wake, a database that fails or loses its newest commits to a
//! failover, a leader that rescues, parents that plan chunks, and operators who cancel, retry and pause. All code that
//! touches a job is the product's own, on a real database; a seed determines the order of calls, and time is simulated.
//!
//! After each step [`checks`] verifies the rows. At the end the faults stop, and every job must end. A failure
//! prints its seed and its steps; `GUILDHALL_HISTORIES` sets the number of histories, `GUILDHALL_SEED` the first seed.

mod checks;
mod operators;
mod process;
mod random;
mod step;
mod world;

use std::time::Duration;

use entities::job::{Class, Model, State};
use entities::job_pause::{self, Scope};

use process::Process;
use step::{Cause, Fault};
use testkit::TestDatabase;
use world::World;

/// Simulated steps of one history before the drain.
const STEPS: usize = 60;
/// Rounds without faults within which every job must end.
const ROUNDS: usize = 300;

impl World {
    async fn history(&mut self, seed: u64) {
        self.begin(seed).await;
        for _ in 0..STEPS {
            self.step().await;
        }
        self.drain().await;
        self.clear().await;
    }

    async fn step(&mut self) {
        match self.random.below(100) {
            0..24 => self.pass_time().await,
            24..27 => self.kill().await,
            27..31 => self.freeze_or_wake().await,
            31..33 => self.lose_messages(),
            33..35 => self.pause_or_resume().await,
            35..38 => self.fail_over().await,
            draw => self.change(draw).await,
        }
    }

    /// A step whose commits a failover may lose.
    async fn change(&mut self, draw: usize) {
        match draw % 62 {
            0..18 => self.deliver().await,
            18..26 => self.cast_net().await,
            26..53 => self.go_on().await,
            53..56 => self.cancel().await,
            56..59 => self.retry_by_hand().await,
            _ => self.enqueue().await,
        }
    }

    /// A standby is promoted that did not receive the last commits. Answers were sent, and runs go on.
    async fn fail_over(&mut self) {
        self.tell("the next step is lost by a failover".to_owned());
        let (rows, burned) = (self.rows.clone(), self.burned.clone());
        let draw = self.random.below(62);
        self.change(draw).await;
        self.burned = burned;
        self.restore(rows).await;
        self.tell("failover".to_owned());
    }

    async fn pass_time(&mut self) {
        let by = Duration::from_millis(250 * (1 + self.random.below(14) as u64));
        self.advance(by).await;
        for at in 0..self.processes.len() {
            let fault = self.fault(12);
            self.beat(at, fault).await;
        }
        if self.random.percent(70) {
            self.rescue().await;
        }
    }

    async fn beat(&mut self, at: usize, fault: Fault) {
        let Some(mut process) = self.take_awake(at) else { return };
        let cause = process.beat(fault, self.now).await;
        self.note_beats(&process);
        self.put_back(at, process);
        self.check(cause).await;
    }

    async fn deliver(&mut self) {
        let due: Vec<usize> =
            (0..self.messages.len()).filter(|at| self.messages[*at].due <= self.now).collect();
        let Some(chosen) = due.get(self.random.below(due.len())).copied() else { return };
        let message = self.messages[chosen].message.clone();
        // It may be delivered once more: redelivered, or published twice.
        if self.random.percent(80) {
            self.messages.remove(chosen);
        }
        let (at, fault) = (self.random.below(self.processes.len()), self.fault(10));
        self.tell(format!("message of {} {:?} to {at}, {fault:?}", self.number(message.job), message.token));
        let Some(mut process) = self.take_awake(at) else { return };
        process.claim_published(&message, fault).await;
        self.finish_step(at, process, Cause::Message(message.token)).await;
    }

    async fn cast_net(&mut self) {
        let at = self.random.below(self.processes.len());
        let Some(class) = self.pick_job().map(|job| self.row(job).class) else { return };
        let fault = self.fault(10);
        self.tell(format!("net of {at} for {}, {fault:?}", class.name()));
        let Some(mut process) = self.take_awake(at) else { return };
        process.claim_available(class, fault).await;
        self.finish_step(at, process, Cause::Net).await;
    }

    /// One step of one run.
    async fn go_on(&mut self) {
        let at = self.random.below(self.processes.len());
        let (draw, fault) = (self.random.next(), self.fault(10));
        let Some(mut process) = self.take_awake(at) else { return };
        let cause = process.go_on(draw, fault, &mut self.effects).await;
        self.tell(format!("run of {at}: {cause:?}, {fault:?}"));
        self.finish_step(at, process, cause).await;
    }

    async fn kill(&mut self) {
        let at = self.random.below(self.processes.len());
        self.tell(format!("kill {at}"));
        let process = self.new_process().await;
        self.note_beats(&process);
        self.processes[at] = Some(process);
    }

    async fn freeze_or_wake(&mut self) {
        let at = self.random.below(self.processes.len());
        let Some(mut process) = self.processes[at].take() else { return };
        process.frozen = !process.frozen;
        self.tell(format!("{at} is frozen: {}", process.frozen));
        // A process frozen right before it wrote the end of a run writes that first.
        let late = if process.frozen || self.random.percent(50) { None } else { process.late_write().await };
        self.processes[at] = Some(process);
        self.check(late.map_or(Cause::Nothing, |claim| Cause::Write { claim, burns: false })).await;
    }

    async fn rescue(&mut self) {
        self.tell("rescue".to_owned());
        self.leader.rescue().await.unwrap();
        self.leader.release_stranded().await.unwrap();
        self.check(Cause::Rescue).await;
    }

    /// Without faults and without messages every job ends.
    async fn drain(&mut self) {
        self.tell("drain".to_owned());
        self.messages.clear();
        for scope in std::mem::take(&mut self.pauses) {
            let scope = scope.class.map_or(Scope::Guild(self.guild), Scope::Class);
            job_pause::delete(self.database.write(), scope).await.unwrap();
        }
        self.processes.iter_mut().flatten().for_each(|process| process.frozen = false);
        for _ in 0..ROUNDS {
            if self.rows.iter().all(|row| !row.state.is_open()) {
                return self.check_end();
            }
            let next = self.rows.iter().filter(|row| row.state == State::Queued).map(|row| row.run_at).min();
            let wait = next.and_then(|next| (next - self.time()).to_std().ok()).unwrap_or_default();
            let busy = self.rows.iter().any(|row| row.state == State::Running);
            let busy = busy || self.processes.iter().flatten().any(|process| !process.runs.is_empty());
            self.advance(if busy { Duration::from_secs(3) } else { wait + Duration::from_millis(2_500) })
                .await;
            for at in 0..self.processes.len() {
                self.beat(at, Fault::None).await;
            }
            self.rescue().await;
            let at = self.random.below(self.processes.len());
            self.work(at).await;
        }
        panic!("lost: {:#?}", self.rows.iter().filter(|row| row.state.is_open()).collect::<Vec<_>>());
    }

    /// The process claims what is available, and all runs succeed.
    async fn work(&mut self, at: usize) {
        for &class in Class::ALL {
            let idle = |row: &Model| matches!(row.state, State::Queued | State::Held) && row.class == class;
            if self.rows.iter().any(idle) {
                let Some(mut process) = self.take_awake(at) else { return };
                process.claim_available(class, Fault::None).await;
                self.finish_step(at, process, Cause::Net).await;
            }
        }
        for at in 0..self.processes.len() {
            loop {
                let Some(mut process) = self.take_awake(at) else { return };
                if process.runs.is_empty() {
                    self.put_back(at, process);
                    break;
                }
                let cause = process.go_on(0, Fault::None, &mut self.effects).await;
                self.finish_step(at, process, cause).await;
            }
        }
    }

    async fn finish_step(&mut self, at: usize, process: Process, cause: Cause) {
        self.note_beats(&process);
        self.put_back(at, process);
        self.check(cause).await;
    }
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().map_or(default, |value| value.parse().unwrap())
}

/// Every second history: a test runs half of them, so that none takes long on a busy machine.
async fn run(test: TestDatabase, skipped: usize) {
    let mut world = World::start(&test).await;
    let first = number("GUILDHALL_SEED", 1);
    for seed in (first..first + number("GUILDHALL_HISTORIES", 100)).skip(skipped).step_by(2) {
        world.history(seed).await;
    }
}

async fn on_sqlite(skipped: usize) {
    // In memory, where the machine has such a folder.
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    run(TestDatabase::sqlite_file(&folder.path().join("jobs.db")).await, skipped).await;
}

async fn on_postgres(skipped: usize) {
    let test = TestDatabase::postgres().await;
    // For the connections that are opened from now on.
    let unsynced = "EXECUTE format('ALTER DATABASE %I SET synchronous_commit = off', current_database())";
    test.execute(&format!("DO $$ BEGIN {unsynced}; END $$")).await;
    run(test, skipped).await;
}

#[tokio::test]
async fn every_history_ends_well_on_sqlite() {
    on_sqlite(0).await;
}

#[tokio::test]
async fn every_other_history_ends_well_on_sqlite() {
    on_sqlite(1).await;
}

#[tokio::test]
async fn every_history_ends_well_on_postgres() {
    on_postgres(0).await;
}

#[tokio::test]
async fn every_other_history_ends_well_on_postgres() {
    on_postgres(1).await;
}
