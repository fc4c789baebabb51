//! What the scheduler repairs: jobs nobody published, and messages a broker lost.

use std::time::Duration;

use entities::job::lifecycle::{self, Held};
use entities::job::{Class, State, outbox};
use queue::run::Slots;

use crate::kinds::{Echo, Gate, Gated, registry};
use crate::world::{Mode, World, both_modes};

fn echo() -> Echo {
    Echo { text: String::new() }
}

both_modes! {
    async fn a_job_whose_process_died_after_the_commit_is_published_by_the_relay(world: World) {
        world.work();
        let job = world.enqueue(&echo()).await.job;
        assert_eq!(world.queue.relay_unpublished().await.unwrap(), 0, "its own process has a second for it");
        world.context.clock.advance(Duration::from_secs(2));
        assert_eq!(world.queue.relay_unpublished().await.unwrap(), 1);
        world.wait_for(job, State::Succeeded).await;
    }

    async fn a_published_job_is_not_relayed_again(world: World) {
        let enqueued = world.enqueue(&echo()).await;
        let job = enqueued.job;
        world.queue.publish(enqueued.ticket);
        let deadline = tokio::time::Instant::now() + crate::world::PATIENCE;
        while world.row(job).await.published_at.is_none() {
            assert!(tokio::time::Instant::now() < deadline, "the publish was never noted");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        world.context.clock.advance(Duration::from_secs(2));
        assert_eq!(world.queue.relay_unpublished().await.unwrap(), 0);
    }

    async fn a_late_note_of_an_old_ring_hides_no_new_one(world: World) {
        let job = world.enqueue(&echo()).await.job;
        let row = world.claim(job).await.unwrap();
        let (conn, now) = (world.context.database.write(), world.context.clock.now());
        let held = Held { job, lease: row.lease };
        assert!(lifecycle::give_back(conn, held, now, None).await.unwrap().is_some());
        outbox::mark_published(conn, &[Held { job, lease: 0 }], now).await.unwrap();
        assert_eq!(world.row(job).await.published_at, None, "of the claim before");
        outbox::mark_published(conn, &[held], now).await.unwrap();
        assert_eq!(world.row(job).await.published_at, Some(now));
    }

    async fn what_the_broker_lost_is_rung_again(world: World) {
        let job = world.enqueue(&echo()).await.job;
        let conn = world.context.database.write();
        outbox::mark_published(conn, &[Held { job, lease: 0 }], world.context.clock.now()).await.unwrap();
        world.context.clock.advance(Duration::from_secs(61));
        assert_eq!(world.queue.relay_unpublished().await.unwrap(), 0);
        assert_eq!(world.queue.recover_lost().await.unwrap(), 1, "published, but the queue is empty");
        world.work();
        assert_eq!(world.queue.relay_unpublished().await.unwrap(), 1);
        world.wait_for(job, State::Succeeded).await;
    }

    async fn what_the_broker_lost_is_rung_again_though_its_queue_is_never_empty(world: World) {
        let lost = world.enqueue(&echo()).await.job;
        let conn = world.context.database.write();
        outbox::mark_published(conn, &[Held { job: lost, lease: 0 }], world.context.clock.now()).await.unwrap();
        world.context.clock.advance(Duration::from_secs(61));
        // More than run at a time, so that some wait in the broker.
        let gate = Gate::new();
        world.work_with(registry().with(gate.clone()));
        let slots = usize::from(Slots::default().default);
        for _ in 0..3 * slots {
            let enqueued = world.enqueue(&Gated {}).await;
            world.queue.publish(enqueued.ticket);
        }
        for _ in 0..slots {
            gate.wait_for_entry().await;
        }
        let deadline = tokio::time::Instant::now() + crate::world::PATIENCE;
        while world.queue.broker().depth(Class::Default).await.is_none_or(|depth| depth == 0) {
            assert!(tokio::time::Instant::now() < deadline, "nothing waits in the broker");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert_eq!(world.queue.recover_lost().await.unwrap(), 1, "only what was overtaken");
        world.context.clock.advance(Duration::from_secs(2));
        assert!(world.queue.relay_unpublished().await.unwrap() >= 1);
        gate.open.add_permits(3 * slots);
        world.wait_for(lost, State::Succeeded).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_process_runs_what_this_one_enqueued_and_the_caller_hears_of_it() {
    let world = World::start(Mode::Distributed).await;
    let (_context, other) = world.another_process().await;
    queue::run::run(&other, registry(), Slots::default(), "worker-2");
    let enqueued = world.enqueue(&echo()).await;
    let job = enqueued.job;
    assert!(world.queue.call(enqueued, crate::world::PATIENCE).await.unwrap().is_some());
    assert_eq!(world.row(job).await.worker.as_deref(), Some("worker-2"));
}
