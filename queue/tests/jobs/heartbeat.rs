//! Runs of processes that froze or were declared dead.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use entities::job::{Class, Model, State, rescue};
use entities::process::DEAD_AFTER;
use entities::worker;
use queue::Payload;
use queue::run::{Handler, JobContext, JobError, Outcome, failure};
use runtime::Clock;
use sea_orm::ConnectionTrait;
use serde::{Deserialize, Serialize};
use serde_json::json;
use testkit::eventually;
use tokio::sync::Semaphore;

use crate::fixture::{Fixture, Mode, WAIT_LIMIT, both_modes};
use crate::kinds::{Echo, Gate, Gated, registry};

/// Longer than a heartbeat counts as confirmed.
const FROZEN_FOR: Duration = Duration::from_secs(30);

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Step {
    /// Whether the step asks the database first.
    single: bool,
}

impl Payload for Step {
    const KIND: &'static str = "step";
    const CLASS: Class = Class::Interactive;
}

/// Takes one step when the test opens it.
#[derive(Clone)]
struct Stepper {
    entered: Arc<Semaphore>,
    open: Arc<Semaphore>,
    left: Arc<Semaphore>,
    steps: Arc<AtomicU32>,
    /// The process freezes right before the step.
    freezes: Option<Clock>,
}

/// Signals the end of the run.
struct Leaving(Arc<Semaphore>);

impl Drop for Leaving {
    fn drop(&mut self) {
        self.0.add_permits(1);
    }
}

impl Handler for Stepper {
    type Payload = Step;

    async fn run(&self, job: &JobContext, payload: Step) -> Result<Outcome, JobError> {
        let _leaving = Leaving(Arc::clone(&self.left));
        self.entered.add_permits(1);
        self.open.acquire().await.unwrap().forget();
        if let Some(clock) = &self.freezes {
            clock.advance(FROZEN_FOR);
        }
        if payload.single {
            job.before_single_effect().await?;
        } else {
            job.before_effect().await?;
        }
        self.steps.fetch_add(1, Ordering::SeqCst);
        Ok(Outcome::done(json!({})))
    }
}

impl Stepper {
    fn new() -> Self {
        let closed = || Arc::new(Semaphore::new(0));
        Self { entered: closed(), open: closed(), left: closed(), steps: Arc::default(), freezes: None }
    }

    /// Starts a worker and waits until it runs a job of this kind.
    async fn under_way(&self, fixture: &Fixture, single: bool) -> Model {
        fixture.work_with(registry().with(self.clone()));
        let enqueued = fixture.enqueue(&Step { single }).await;
        fixture.queue.publish(enqueued.message);
        self.entered.acquire().await.unwrap().forget();
        fixture.row(enqueued.job).await
    }

    async fn is_left(&self) {
        tokio::time::timeout(WAIT_LIMIT, self.left.acquire()).await.unwrap().unwrap().forget();
    }

    fn steps(&self) -> u32 {
        self.steps.load(Ordering::SeqCst)
    }
}

/// Declares the process dead and claims its job for another one.
async fn take_over(fixture: &Fixture, job: &Model) -> Model {
    let (conn, now) = (fixture.context.database.write(), fixture.context.clock.now());
    worker::delete(conn, job.worker.as_deref().unwrap()).await.unwrap();
    let crash = failure(500, "worker_lost", "lost");
    rescue::requeue(conn, job, &crash, Duration::ZERO, now).await.unwrap().unwrap();
    fixture.claim(job.job_id).await.unwrap()
}

both_modes! {
    async fn a_frozen_run_takes_no_step_after_its_job_was_rescued(fixture: Fixture) {
        let stepper = Stepper::new();
        let job = stepper.under_way(fixture, false).await;
        let newer = take_over(fixture, &job).await;
        fixture.advance(FROZEN_FOR).await;
        stepper.open.add_permits(1);
        stepper.is_left().await;
        assert_eq!((stepper.steps(), fixture.row(job.job_id).await), (0, newer));
    }

    async fn a_frozen_run_continues_if_its_claim_still_holds(fixture: Fixture) {
        let stepper = Stepper::new();
        let job = stepper.under_way(fixture, false).await;
        fixture.advance(FROZEN_FOR * 10).await;
        stepper.open.add_permits(1);
        let row = fixture.wait_while_time_passes(job.job_id, State::Succeeded).await;
        assert_eq!((stepper.steps(), row.attempt, row.token), (1, 1, 1));
    }

    async fn a_run_frozen_right_before_its_step_keeps_no_heartbeat_waiting(fixture: Fixture) {
        let stepper = Stepper { freezes: Some(fixture.context.clock.clone()), ..Stepper::new() };
        let job = stepper.under_way(fixture, false).await;
        stepper.open.add_permits(1);
        let row = fixture.wait_for(job.job_id, State::Succeeded).await;
        assert_eq!((stepper.steps(), row.attempt, row.token), (1, 1, 1));
    }

    async fn a_run_frozen_right_before_its_step_takes_none_after_its_job_was_rescued(fixture: Fixture) {
        let stepper = Stepper { freezes: Some(fixture.context.clock.clone()), ..Stepper::new() };
        let job = stepper.under_way(fixture, false).await;
        let newer = take_over(fixture, &job).await;
        stepper.open.add_permits(1);
        stepper.is_left().await;
        assert_eq!((stepper.steps(), fixture.row(job.job_id).await), (0, newer));
    }

    async fn before_a_single_effect_the_claim_is_confirmed_by_the_database(fixture: Fixture) {
        let stepper = Stepper::new();
        let job = stepper.under_way(fixture, true).await;
        let newer = take_over(fixture, &job).await;
        // The heartbeat is recent; only the row shows the lost claim.
        stepper.open.add_permits(1);
        stepper.is_left().await;
        assert_eq!((stepper.steps(), fixture.row(job.job_id).await), (0, newer));
    }

    async fn a_process_declared_dead_registers_again_and_runs_the_job_again(fixture: Fixture) {
        let stepper = Stepper::new();
        let job = stepper.under_way(fixture, false).await;
        fixture.advance(DEAD_AFTER + Duration::from_secs(1)).await;
        assert_eq!(fixture.queue.rescue().await.unwrap(), 1);
        stepper.is_left().await;
        stepper.open.add_permits(2);
        let row = fixture.wait_while_time_passes(job.job_id, State::Succeeded).await;
        assert_eq!((stepper.steps(), row.attempt, row.crashes, row.token), (1, 1, 1, 2));
        let first = job.worker.unwrap();
        assert!(!first.contains('#'), "{first}");
        assert_eq!(row.worker, Some(format!("{first}#2")));
    }

    async fn a_run_whose_claim_the_database_does_not_know_is_stopped(fixture: Fixture) {
        let gate = Gate::new();
        fixture.work_with(registry().with(gate.clone()));
        let enqueued = fixture.enqueue(&Gated {}).await;
        fixture.queue.publish(enqueued.message);
        gate.wait_for_entry().await;
        fixture.execute("UPDATE job SET worker = 'another', token = token + 1").await;
        testkit::until(|| gate.inside() == 0).await;
    }

    async fn a_process_counts_only_its_own_runs(fixture: Fixture) {
        fixture.work();
        fixture.worker_name().await;
        let job = fixture.enqueue(&Echo { text: String::new() }).await;
        assert!(fixture.claim(job.job).await.is_some(), "for another process");
        let listed = worker::list(fixture.context.database.read()).await.unwrap();
        assert_eq!(listed.iter().map(|process| process.running).collect::<Vec<_>>(), [0]);
    }

    async fn a_process_is_declared_dead_when_its_heartbeat_is_stale(fixture: Fixture) {
        let (conn, job) = (fixture.context.database.write(), fixture.enqueue(&Step { single: false }).await.job);
        let name = "silent".to_owned();
        let registered = worker::Model {
            name: name.clone(),
            host: "host".to_owned(),
            version: "1".to_owned(),
            slots: json!({}),
            started_at: fixture.context.clock.now(),
            heartbeat_at: fixture.context.clock.now(),
        };
        worker::register(conn, registered, fixture.context.clock.now()).await.unwrap();
        let held = fixture.claim_as(fixture.row(job).await.message().published(), &name).await.unwrap();
        fixture.advance(DEAD_AFTER).await;
        assert_eq!(fixture.queue.rescue().await.unwrap(), 0);
        assert!(worker::beat(conn, &name, fixture.context.clock.now()).await.unwrap());
        fixture.advance(DEAD_AFTER).await;
        assert_eq!((fixture.queue.rescue().await.unwrap(), fixture.row(job).await), (0, held));
        fixture.advance(Duration::from_secs(1)).await;
        assert_eq!(fixture.queue.rescue().await.unwrap(), 1);
        assert!(!worker::beat(conn, &name, fixture.context.clock.now()).await.unwrap());
        let row = fixture.row(job).await;
        assert_eq!((row.state, row.attempt), (State::Queued, 0), "a crash cost an attempt");
    }
}

/// The other reads of a process may wait for a lock, or for a connection that jobs hold.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn heartbeats_go_on_while_the_table_of_jobs_is_locked() {
    let fixture = Fixture::start(Mode::Distributed).await;
    fixture.work();
    let name = fixture.worker_name().await;
    let (other, _queue) = fixture.another_process().await;
    let lock = other.database.begin().await.unwrap();
    lock.execute_unprepared("LOCK TABLE job IN ACCESS EXCLUSIVE MODE").await.unwrap();
    let beaten = async || {
        let workers = worker::list(&lock).await.unwrap();
        workers.iter().find(|listed| listed.worker.name == name).unwrap().worker.heartbeat_at
    };
    for _ in 0..3 {
        fixture.advance(Duration::from_secs(1)).await;
        let before = fixture.context.clock.now();
        let again = async || (beaten().await >= before).then_some(());
        eventually("a heartbeat", Duration::from_secs(10), again).await;
    }
    drop(lock);
}
