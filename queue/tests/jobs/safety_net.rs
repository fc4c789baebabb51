//! What is claimed without a message: jobs nobody published, messages that were lost, retries, and claims whose answer
//! was lost.

use std::time::Duration;

use entities::job::claim::{self, Available};
use entities::job::{Class, State, Ticket};
use entities::worker;
use queue::run::Slots;
use queue::{Answer, Enqueued};

use crate::kinds::{Echo, registry};
use crate::world::{Mode, NET_AFTER, PATIENCE, World, both_modes};

fn echo() -> Echo {
    Echo { text: String::new() }
}

impl World {
    async fn worker_name(&self) -> String {
        let deadline = tokio::time::Instant::now() + PATIENCE;
        loop {
            let workers = worker::list(self.context.database.read()).await.unwrap();
            if let Some(listed) = workers.first() {
                return listed.worker.name.clone();
            }
            assert!(tokio::time::Instant::now() < deadline, "no worker registered");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

both_modes! {
    async fn a_job_without_a_message_is_claimed_after_two_seconds(world: World) {
        world.work();
        let job = world.enqueue(&echo()).await.job;
        assert!(world.call(&echo()).await.is_some());
        assert_eq!(world.row(job).await.state, State::Queued, "its message has two seconds");
        world.advance(NET_AFTER).await;
        world.wait_for(job, State::Succeeded).await;
    }

    async fn what_messages_have_not_overtaken_is_left_to_them(world: World) {
        let first = world.enqueue(&echo()).await.job;
        world.advance(NET_AFTER).await;
        let second = world.enqueue(&echo()).await.job;
        world.advance(NET_AFTER).await;
        let (conn, newest) = (world.context.database.write(), world.row(second).await.run_at);
        let wanted = Available {
            class: Class::Default,
            kinds: &["echo"],
            since: NET_AFTER,
            overtaken: Some(newest),
            most: 10,
        };
        let now = world.context.clock.now();
        let claimed = claim::available(conn, wanted, "net", now).await.unwrap();
        assert_eq!(claimed.iter().map(|job| job.job_id).collect::<Vec<_>>(), [first]);
    }

    async fn more_than_there_are_slots_are_claimed_as_slots_become_free(world: World) {
        let mut jobs = Vec::new();
        for _ in 0..40 {
            jobs.push(world.enqueue(&echo()).await.job);
        }
        world.advance(NET_AFTER).await;
        world.work();
        for job in jobs {
            // What a turn released meanwhile has its message, or waits for the net again.
            world.wait_for(job, State::Succeeded).await;
        }
    }

    async fn a_caller_whose_message_is_lost_has_its_answer_from_the_row(world: World) {
        world.work();
        let Enqueued { ticket, job, joined } = world.enqueue(&echo()).await;
        let lost = ticket.map(|ticket| Ticket { token: -1, ..ticket });
        let queue = world.queue.clone();
        let enqueued = Enqueued { ticket: lost, job, joined };
        let caller = tokio::spawn(async move { queue.call(enqueued, PATIENCE).await.unwrap() });
        world.advance(NET_AFTER).await;
        assert!(matches!(caller.await.unwrap(), Some(Answer::Succeeded(_))));
    }

    async fn a_claim_whose_answer_was_lost_is_retried_by_its_own_process(world: World) {
        world.work();
        let name = world.worker_name().await;
        let job = world.enqueue(&echo()).await.job;
        let stray = world.claim_as(world.row(job).await.claim(), &name).await.unwrap();
        while world.row(job).await.claim() == stray.claim() && world.row(job).await.state == State::Running {
            world.advance(Duration::from_secs(1)).await;
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        assert_eq!(world.row(job).await.history()[0].error, "interrupted");
        world.advance(Duration::from_secs(2) + NET_AFTER).await;
        let row = world.wait_for(job, State::Succeeded).await;
        assert_eq!((row.attempt, row.token), (2, 2));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_process_runs_what_this_one_enqueued_and_the_caller_hears_of_it() {
    let world = World::start(Mode::Distributed).await;
    let (_context, other) = world.another_process().await;
    queue::run::run(&other, registry(), Slots::default());
    let enqueued = world.enqueue(&echo()).await;
    let job = enqueued.job;
    assert!(world.queue.call(enqueued, PATIENCE).await.unwrap().is_some());
    assert_eq!(world.row(job).await.worker, Some(world.worker_name().await));
}
