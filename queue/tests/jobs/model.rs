//! The state machine of the job table: random operations against a small model, on both databases.

mod expected;

use std::time::Duration;

use entities::JobId;
use entities::job::lifecycle::{self, Ending, Heartbeat, Held};
use entities::job::loss::{self, Sign};
use entities::job::{Failure, State, batch, cancel, outbox};
use expected::{Model, pause};
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
