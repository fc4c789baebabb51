//! Leases: of two who believe they run a job only the later one writes.

use std::time::Duration;

use entities::job::lifecycle::{self, Ending, Heartbeat, Held};
use entities::job::{Model, State};
use queue::LEASE;
use serde_json::json;

use crate::kinds::{Echo, Gate, Gated, registry};
use crate::world::{World, both_modes};

async fn finish(world: &World, job: &Model) -> bool {
    let ending = Ending::Succeeded(json!({ "by": job.lease }));
    let now = world.context.clock.now();
    lifecycle::finish(world.context.database.write(), job, &ending, None, now).await.unwrap()
}

fn echo() -> Echo {
    Echo { text: String::new() }
}

both_modes! {
    async fn a_job_is_claimed_once(world: World) {
        let job = world.enqueue(&echo()).await.job;
        let (one, two) = tokio::join!(world.claim(job), world.claim(job));
        assert!(one.is_some() != two.is_some(), "{one:?} {two:?}");
    }

    async fn a_late_worker_finishes_nothing(world: World) {
        let job = world.enqueue(&echo()).await.job;
        let late = world.claim(job).await.unwrap();
        world.context.clock.advance(LEASE + Duration::from_secs(1));
        assert_eq!(world.queue.take_back_expired().await.unwrap(), 1);
        let now = world.context.clock.now();
        let beat = lifecycle::heartbeat(world.context.database.write(), Held::of(&late), now + LEASE).await.unwrap();
        assert_eq!(beat, Heartbeat::Lost);
        let newer = world.claim(job).await.unwrap();
        assert!(!finish(&world, &late).await);
        assert!(finish(&world, &newer).await);
        assert!(!finish(&world, &newer).await, "an ended job does not end again");
        assert_eq!(world.row(job).await.result, Some(json!({ "by": newer.lease })));
    }

    async fn a_held_lease_is_not_taken_back(world: World) {
        let job = world.enqueue(&echo()).await.job;
        let held = world.claim(job).await.unwrap();
        world.context.clock.advance(LEASE * 9 / 10);
        let until = world.context.clock.now() + LEASE;
        let beat = lifecycle::heartbeat(world.context.database.write(), Held::of(&held), until).await.unwrap();
        assert_eq!(beat, Heartbeat::Held { cancel_requested: false });
        world.context.clock.advance(Duration::from_secs(10));
        assert_eq!(world.queue.take_back_expired().await.unwrap(), 0);
        assert!(finish(&world, &held).await);
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
