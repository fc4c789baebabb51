//! The state machine of the job table: random operations against a small model, on both databases.

use std::time::Duration;

use entities::JobId;
use entities::job::history::KEPT;
use entities::job::lifecycle::{self, Ending, Heartbeat, Held};
use entities::job::loss::{self, FREE, Sign};
use entities::job::{Failure, State, batch, cancel, outbox};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use queue::LEASE;
use serde_json::json;

use crate::kinds::FailsUntil;
use crate::world::{Mode, World};

const MAX_ATTEMPTS: i32 = 3;
const PAUSE: Duration = Duration::from_secs(5);

#[derive(Debug, Clone)]
enum Step {
    Claim,
    ClaimSuspect,
    Postpone,
    /// A redelivered message that was rung so many leases ago.
    Redeliver(i64),
    /// By the claim that is so many leases old; 0 is the newest.
    Beat(i64),
    Succeed(i64),
    SucceedInBatch(i64),
    Fail(i64),
    Retry(i64),
    GiveBack(i64),
    Promote,
    TakeBack,
    Cancel,
    Replay,
    Pass(Duration),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let age = || prop_oneof![4 => Just(0), 1 => 1..3_i64];
    let step = prop_oneof![
        6 => Just(Step::Claim),
        3 => Just(Step::ClaimSuspect),
        1 => Just(Step::Postpone),
        3 => (0..3_i64).prop_map(Step::Redeliver),
        2 => age().prop_map(Step::Beat),
        1 => age().prop_map(Step::Succeed),
        1 => age().prop_map(Step::SucceedInBatch),
        1 => age().prop_map(Step::Fail),
        3 => age().prop_map(Step::Retry),
        2 => age().prop_map(Step::GiveBack),
        3 => Just(Step::Promote),
        2 => Just(Step::TakeBack),
        1 => Just(Step::Cancel),
        1 => Just(Step::Replay),
        2 => prop_oneof![Just(PAUSE), Just(LEASE + Duration::from_secs(1))].prop_map(Step::Pass),
    ];
    prop::collection::vec(step, 1..60)
}

/// What the row should say, in times since the start.
#[derive(Debug, Clone, PartialEq)]
struct Model {
    state: State,
    attempt: i32,
    lease: i64,
    lease_until: Option<Duration>,
    run_at: Duration,
    cancel_requested: bool,
    losses: i32,
    /// Attempt and word of each try that did not end well.
    history: Vec<(i32, String)>,
    now: Duration,
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
    fn apply(&mut self, step: &Step) -> bool {
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
fn pause(losses: i32) -> Option<Duration> {
    (losses > 0).then_some(PAUSE)
}

fn failure(word: &str) -> Failure {
    Failure { status: 500, error: word.to_owned(), message: word.to_owned(), retry_after: None }
}

/// Takes the run back that somebody knows to be lost.
async fn lose(world: &World, row: &entities::job::Model, sign: Sign) -> bool {
    let times = (world.context.clock.now(), pause(row.losses));
    let lost = failure("lost");
    loss::take_back(world.context.database.write(), row, (&lost, sign), times).await.unwrap().is_some()
}

async fn perform(world: &World, job: JobId, lease: i64, step: &Step) -> bool {
    let (conn, now) = (world.context.database.write(), world.context.clock.now());
    let held = |age: i64| Held { job, lease: lease - age };
    // The row as the holder of that age claimed it.
    let row = world.row(job).await;
    let claimed = |age: i64| entities::job::Model { lease: lease - age, ..row.clone() };
    let error = failure("failed");
    match *step {
        Step::Claim => {
            let jobs = [JobId(uuid::Uuid::nil()), job, job];
            batch::claim(conn, &jobs, "w", (now, now + LEASE)).await.unwrap().len() == 1
        }
        Step::ClaimSuspect => {
            loss::claim_suspect(conn, job, "w", (now, now + LEASE)).await.unwrap().is_some()
        }
        Step::Postpone => loss::postpone(conn, job, now + PAUSE).await.unwrap(),
        Step::Redeliver(age) => match loss::held_by_ticket(conn, job, lease - age).await.unwrap() {
            Some(row) => lose(world, &row, Sign::Redelivered).await,
            None => false,
        },
        Step::Beat(age) => {
            lifecycle::heartbeat(conn, held(age), now + LEASE).await.unwrap() != Heartbeat::Lost
        }
        Step::Succeed(age) => {
            lifecycle::finish(conn, &claimed(age), &Ending::Succeeded(json!({})), None, now).await.unwrap()
        }
        Step::SucceedInBatch(age) => {
            let ended = [(held(age), json!({})), (held(age), json!({})), (held(age), json!({}))];
            batch::succeed(conn, &ended, now).await.unwrap().contains(&job)
        }
        Step::Fail(age) => {
            lifecycle::finish(conn, &claimed(age), &Ending::Failed(error), None, now).await.unwrap()
        }
        Step::Retry(age) => {
            lifecycle::retry(conn, &claimed(age), (&error, None), (now, PAUSE)).await.unwrap()
        }
        Step::GiveBack(age) => lifecycle::give_back(conn, held(age), now, None).await.unwrap().is_some(),
        Step::Promote => {
            outbox::promote_due(conn, now, 10).await.unwrap().iter().any(|ticket| ticket.job == job)
        }
        Step::TakeBack => lose(world, &row, Sign::LeaseEnded(now)).await,
        Step::Cancel => {
            let open = world.row(job).await.state.is_open();
            cancel::request(conn, job, now).await.unwrap();
            open
        }
        Step::Replay => outbox::replay(conn, job, now).await.unwrap().is_some(),
        Step::Pass(time) => {
            world.context.clock.advance(time);
            true
        }
    }
}

async fn walk(world: &World, steps: &[Step]) -> Result<(), TestCaseError> {
    let job = world.enqueue(&FailsUntil { attempt: MAX_ATTEMPTS }).await.job;
    let start = world.context.clock.now();
    let mut model = Model {
        state: State::Queued,
        attempt: 0,
        lease: 0,
        lease_until: None,
        run_at: Duration::ZERO,
        cancel_requested: false,
        losses: 0,
        history: Vec::new(),
        now: Duration::ZERO,
    };
    for (at, step) in steps.iter().enumerate() {
        let before = model.lease;
        let expected = model.apply(step);
        let hit = perform(world, job, before, step).await;
        prop_assert_eq!(hit, expected, "step {} {:?} of {:?}", at, step, steps);
        let row = world.row(job).await;
        let seen = Model {
            state: row.state,
            attempt: row.attempt,
            lease: row.lease,
            lease_until: row.lease_until.map(|until| (until - start).to_std().unwrap()),
            run_at: (row.run_at.unwrap() - start).to_std().unwrap(),
            cancel_requested: row.cancel_requested,
            losses: row.losses,
            history: row.history().into_iter().map(|failed| (failed.attempt, failed.error)).collect(),
            now: model.now,
        };
        prop_assert_eq!(&seen, &model, "after step {} {:?} of {:?}", at, step, steps);
        prop_assert_eq!(row.finished_at.is_some(), !row.state.is_open());
    }
    // Nothing of this job is left for the next case to find.
    cancel::request(world.context.database.write(), job, world.context.clock.now()).await.unwrap();
    Ok(())
}

fn run(mode: Mode) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let world = runtime.block_on(World::start(mode));
    let config = Config { cases: 96, failure_persistence: None, ..Config::default() };
    TestRunner::new(config).run(&steps(), |steps| runtime.block_on(walk(&world, &steps))).unwrap();
}

#[test]
fn the_job_table_follows_its_model_on_sqlite() {
    run(Mode::Embedded);
}

#[test]
fn the_job_table_follows_its_model_on_postgres() {
    run(Mode::Distributed);
}
