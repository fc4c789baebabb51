//! Runs that cannot be sure of their job: their process stood still, or their message went to another.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use entities::job::loss::{self, Sign};
use entities::job::{Class, Model, State};
use queue::run::{Handler, JobContext, JobError, Outcome, failure};
use queue::{LEASE, Payload};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::Semaphore;

use crate::kinds::{Echo, registry};
use crate::world::{PATIENCE, World, both_modes};

/// Long enough that a claim is in doubt, and not for its lease to end.
const STOOD_STILL: Duration = Duration::from_secs(30);

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Step {
    /// It must not be taken twice.
    single: bool,
}

impl Payload for Step {
    const KIND: &'static str = "step";
    const CLASS: Class = Class::Interactive;
}

/// Takes one step outside when the test lets it.
#[derive(Clone)]
struct Stepper {
    entered: Arc<Semaphore>,
    open: Arc<Semaphore>,
    left: Arc<Semaphore>,
    steps: Arc<AtomicU32>,
}

/// Says that the run is over, however it ended.
struct Leaving(Arc<Semaphore>);

impl Drop for Leaving {
    fn drop(&mut self) {
        self.0.add_permits(1);
    }
}

#[async_trait]
impl Handler for Stepper {
    type Payload = Step;

    async fn run(&self, job: &JobContext, payload: Step) -> Result<Outcome, JobError> {
        let _leaving = Leaving(Arc::clone(&self.left));
        self.entered.add_permits(1);
        self.open.acquire().await.unwrap().forget();
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
        Self { entered: closed(), open: closed(), left: closed(), steps: Arc::default() }
    }

    /// A job of this kind that a worker of this process is in the middle of.
    async fn under_way(&self, world: &World, single: bool) -> Model {
        world.work_with(registry().with(self.clone()));
        let enqueued = world.enqueue(&Step { single }).await;
        world.queue.publish(enqueued.ticket);
        self.entered.acquire().await.unwrap().forget();
        world.row(enqueued.job).await
    }

    async fn is_left(&self) {
        tokio::time::timeout(PATIENCE, self.left.acquire()).await.unwrap().unwrap().forget();
    }

    fn steps(&self) -> u32 {
        self.steps.load(Ordering::SeqCst)
    }
}

/// Another worker takes the job over, as after a redelivery.
async fn take_over(world: &World, job: &Model) -> Model {
    let lost = failure(500, "worker_lost", "lost");
    let now = world.context.clock.now();
    let conn = world.context.database.write();
    loss::take_back(conn, job, (&lost, Sign::Redelivered), (now, None)).await.unwrap().unwrap();
    world.claim(job.job_id).await.unwrap()
}

both_modes! {
    async fn a_run_that_stood_still_takes_no_step_once_another_has_the_job(world: World) {
        let stepper = Stepper::new();
        let job = stepper.under_way(&world, false).await;
        let newer = take_over(&world, &job).await;
        world.context.clock.advance(STOOD_STILL);
        stepper.open.add_permits(1);
        stepper.is_left().await;
        assert_eq!((stepper.steps(), world.row(job.job_id).await), (0, newer));
    }

    async fn a_run_that_stood_still_goes_on_where_the_job_is_still_its_own(world: World) {
        let stepper = Stepper::new();
        let job = stepper.under_way(&world, false).await;
        world.context.clock.advance(LEASE * 10);
        stepper.open.add_permits(1);
        let row = world.wait_for(job.job_id, State::Succeeded).await;
        assert_eq!((stepper.steps(), row.attempt, row.lease), (1, 1, 1));
    }

    async fn a_step_that_must_not_be_taken_twice_is_asked_for_at_the_database(world: World) {
        let stepper = Stepper::new();
        let job = stepper.under_way(&world, true).await;
        let newer = take_over(&world, &job).await;
        // No time has passed: nothing but the row could tell.
        stepper.open.add_permits(1);
        stepper.is_left().await;
        assert_eq!((stepper.steps(), world.row(job.job_id).await), (0, newer));
    }

    async fn a_process_that_lost_a_job_and_is_given_it_again_runs_it(world: World) {
        let stepper = Stepper::new();
        let job = stepper.under_way(&world, false).await;
        let lost = failure(500, "worker_lost", "lost");
        let (conn, now) = (world.context.database.write(), world.context.clock.now());
        let row = loss::take_back(conn, &job, (&lost, Sign::Redelivered), (now, None)).await.unwrap().unwrap();
        world.queue.publish([row.ticket()]);
        // Rings are taken in their order: the one for the lost job is through when the next has come.
        let next = world.enqueue(&Step { single: false }).await;
        world.queue.publish(next.ticket);
        stepper.entered.acquire().await.unwrap().forget();
        world.context.clock.advance(STOOD_STILL);
        let again = tokio::time::timeout(PATIENCE, stepper.entered.acquire()).await;
        again.unwrap().unwrap().forget();
        stepper.open.add_permits(2);
        for job in [job.job_id, next.job] {
            world.wait_for(job, State::Succeeded).await;
        }
        assert_eq!((stepper.steps(), world.row(job.job_id).await.lease), (2, 2));
    }

    async fn a_job_whose_worker_and_message_are_both_gone_runs_when_its_lease_ends(world: World) {
        let job = world.enqueue(&Echo { text: String::new() }).await.job;
        let dead = world.claim(job).await.unwrap();
        world.work();
        world.context.clock.advance(LEASE * 9 / 10);
        assert_eq!(world.queue.take_back_expired().await.unwrap(), 0);
        assert_eq!(world.row(job).await, dead);
        world.context.clock.advance(LEASE / 5);
        assert_eq!(world.queue.take_back_expired().await.unwrap(), 1);
        let row = world.wait_for(job, State::Succeeded).await;
        assert_eq!((row.attempt, row.lease), (1, 2), "the worker's death is not the job's fault");
    }
}
