//! Leases: of two who believe they run a job only the later one writes.

use std::time::Duration;

use entities::job::State;
use entities::job::lifecycle::{self, Claim, Ending, Heartbeat, Held};
use queue::LEASE;
use serde_json::json;

use crate::kinds::{Echo, Gate, Gated, registry};
use crate::world::{World, both_modes};

async fn claim(world: &World, job: entities::JobId, ticket_lease: i64, redelivered: bool) -> Option<Held> {
    let now = world.context.clock.now();
    let claim = Claim { job, ticket_lease, redelivered, worker: "by-hand", now, lease_until: now + LEASE };
    let row = lifecycle::claim(world.context.database.write(), claim).await.unwrap()?;
    Some(Held { job, lease: row.lease })
}

async fn finish(world: &World, held: Held) -> bool {
    let ending = Ending::Succeeded(json!({ "by": held.lease }));
    lifecycle::finish(world.context.database.write(), held, &ending, world.context.clock.now()).await.unwrap()
}

fn echo() -> Echo {
    Echo { text: String::new() }
}

both_modes! {
    async fn a_job_is_claimed_once(world: World) {
        let job = world.enqueue(&echo()).await.job;
        let (one, two) = tokio::join!(claim(&world, job, 0, false), claim(&world, job, 0, false));
        assert!(one.is_some() != two.is_some(), "{one:?} {two:?}");
    }

    async fn a_late_worker_finishes_nothing(world: World) {
        let job = world.enqueue(&echo()).await.job;
        let late = claim(&world, job, 0, false).await.unwrap();
        world.context.clock.advance(LEASE + Duration::from_secs(1));
        assert_eq!(world.queue.take_back_expired().await.unwrap(), 1);
        let now = world.context.clock.now();
        let beat = lifecycle::heartbeat(world.context.database.write(), late, now + LEASE).await.unwrap();
        assert_eq!(beat, Heartbeat::Lost);
        let newer = claim(&world, job, 1, false).await.unwrap();
        assert!(!finish(&world, late).await);
        assert!(finish(&world, newer).await);
        assert!(!finish(&world, newer).await, "an ended job does not end again");
        assert_eq!(world.row(job).await.result, Some(json!({ "by": newer.lease })));
    }

    async fn a_held_lease_is_not_taken_back(world: World) {
        let job = world.enqueue(&echo()).await.job;
        let held = claim(&world, job, 0, false).await.unwrap();
        world.context.clock.advance(LEASE * 9 / 10);
        let until = world.context.clock.now() + LEASE;
        let beat = lifecycle::heartbeat(world.context.database.write(), held, until).await.unwrap();
        assert_eq!(beat, Heartbeat::Held { cancel_requested: false });
        world.context.clock.advance(Duration::from_secs(10));
        assert_eq!(world.queue.take_back_expired().await.unwrap(), 0);
        assert!(finish(&world, held).await);
    }

    async fn a_redelivered_message_takes_over_from_the_holder_of_that_very_message_only(world: World) {
        let job = world.enqueue(&echo()).await.job;
        let first = claim(&world, job, 0, false).await.unwrap();
        assert_eq!(claim(&world, job, 0, false).await, None, "another message for a running job");
        let second = claim(&world, job, 0, true).await.unwrap();
        assert_eq!((first.lease, second.lease), (1, 2));
        assert_eq!(claim(&world, job, 0, true).await, None, "an old message, redelivered late");
        assert!(!finish(&world, first).await);
        assert!(finish(&world, second).await);
    }

    async fn the_last_attempt_of_a_lost_worker_leaves_the_job_dead(world: World) {
        let job = world.enqueue(&crate::kinds::Panics {}).await.job;
        for _ in 0..2 {
            let row = world.row(job).await;
            claim(&world, job, row.lease, false).await.unwrap();
            world.context.clock.advance(LEASE + Duration::from_secs(1));
            world.queue.take_back_expired().await.unwrap();
        }
        let row = world.row(job).await;
        assert_eq!(row.state, State::Dead);
        assert_eq!(row.failure().unwrap().error, "worker_lost");
    }

    async fn a_second_ring_for_a_running_job_changes_nothing(world: World) {
        let gate = Gate::new();
        world.work_with(registry().with(gate.clone()));
        let enqueued = world.enqueue(&Gated {}).await;
        let ticket = enqueued.ticket.unwrap();
        world.queue.publish([ticket.clone(), ticket.clone()]);
        gate.wait_for_entry().await;
        world.queue.publish([ticket]);
        assert!(world.call(&echo()).await.is_some(), "the extra rings are through");
        gate.open.add_permits(1);
        let row = world.wait_for(enqueued.job, State::Succeeded).await;
        assert_eq!((row.attempt, row.lease), (1, 1));
    }
}
