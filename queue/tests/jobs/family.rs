//! Parents and chunks: window, progress, the one end, failures, cancelling.

use entities::job::family;
use entities::job::{Model, State};
use entities::{JobId, audit_entry};
use queue::{Draft, Enqueued};
use serde_json::json;

use crate::kinds::{Chunk, ChunkHandler, Gate, Parent, ParentHandler, registry};
use crate::world::{World, both_modes, guild};

async fn start(world: &World, gate: &Gate, chunks: i64) -> JobId {
    world.work_with(registry().with(ParentHandler).with(ChunkHandler(gate.clone())));
    let Enqueued { ticket, job } = world.enqueue(&Parent { chunks }).await;
    world.queue.publish(ticket);
    job
}

async fn entries(world: &World, action: &str) -> usize {
    audit_entry::list(world.context.database.read(), guild(), Some(action), (None, 100)).await.unwrap().len()
}

/// A parent by hand whose chunks have these outcomes.
async fn parent_with(world: &World, fails: &[Option<&str>]) -> JobId {
    let Enqueued { job, .. } = world.enqueue(&Parent { chunks: 0 }).await;
    let now = world.context.clock.now();
    let conn = world.context.database.write();
    for word in fails {
        let chunk = Chunk { steps: 5, fails: word.map(str::to_owned) };
        let draft =
            Draft::new(guild(), &chunk, audit_entry::Actor::service()).unwrap().total(5).chunk_of(job);
        world.insert(draft).await;
    }
    let claim = entities::job::lifecycle::Claim {
        job,
        ticket_lease: 0,
        redelivered: false,
        worker: "by-hand",
        now,
        lease_until: now + queue::LEASE,
    };
    let row = entities::job::lifecycle::claim(conn, claim).await.unwrap().unwrap();
    let held = entities::job::lifecycle::Held { job, lease: row.lease };
    assert!(family::wait_for_children(conn, held, json!({}), json!({})).await.unwrap());
    job
}

impl World {
    async fn insert(&self, draft: Draft) {
        let conn = self.context.database.write();
        // A chunk is inserted waiting; only `enqueue` queues a job at once.
        draft.insert_waiting(conn, self.context.clock.now()).await.unwrap();
    }

    async fn release(&self, parent: JobId, window: u64) {
        let now = self.context.clock.now();
        let tickets =
            family::release_chunks(self.context.database.write(), parent, window, now).await.unwrap();
        self.queue.publish(tickets);
    }
}

fn progress(row: &Model) -> (i64, i64, i64) {
    (row.progress_done, row.progress_total, row.progress_failed)
}

both_modes! {
    async fn chunks_run_two_at_a_time_and_the_last_one_ends_the_parent(world: World) {
        let gate = Gate::new();
        let parent = start(&world, &gate, 7).await;
        for _ in 0..7 {
            gate.wait_for_entry().await;
            assert_eq!(world.row(parent).await.state, State::Waiting);
            gate.open.add_permits(1);
        }
        let row = world.wait_for(parent, State::Succeeded).await;
        assert_eq!(progress(&row), (35, 35, 7));
        assert_eq!(row.result, Some(json!({ "planned": 7, "stepped": 35 })));
        assert!(gate.most.load(std::sync::atomic::Ordering::SeqCst) <= 2, "the window of a guild");
        assert_eq!(entries(&world, "job.finished").await, 1);
    }

    async fn a_parent_without_chunks_ends_at_once(world: World) {
        let parent = start(&world, &Gate::new(), 0).await;
        world.wait_for(parent, State::Succeeded).await;
    }

    async fn cancelling_a_parent_stops_what_runs_and_starts_no_more(world: World) {
        let gate = Gate::new();
        let parent = start(&world, &gate, 7).await;
        gate.wait_for_entry().await;
        gate.wait_for_entry().await;
        let transaction = world.context.database.begin().await.unwrap();
        world.queue.cancel(&transaction, parent).await.unwrap();
        transaction.commit().await.unwrap();
        world.queue.announce_cancel(parent).await.unwrap();
        let row = world.wait_for(parent, State::Cancelled).await;
        assert_eq!(progress(&row), (4, 35, 0), "two chunks had come to their second step");
        assert_eq!(gate.entered.available_permits(), 0, "no third chunk began");
    }

    async fn a_chunk_that_cannot_succeed_stops_its_parent_and_says_why(world: World) {
        let gate = Gate::new();
        world.work_with(registry().with(ChunkHandler(gate.clone())));
        let parent = parent_with(&world, &[Some("role_gone"), None, None]).await;
        world.release(parent, 1).await;
        gate.open.add_permits(3);
        let row = world.wait_for(parent, State::Failed).await;
        assert_eq!(row.failure().unwrap().error, "role_gone");
        assert_eq!(progress(&row), (5, 0, 3), "two steps were taken, three are failed, other chunks did not begin");
    }

    async fn two_last_chunks_that_end_together_end_the_parent_once(world: World) {
        let gate = Gate::new();
        world.work_with(registry().with(ChunkHandler(gate.clone())));
        for round in 1..=20 {
            let parent = parent_with(&world, &[None, None]).await;
            world.release(parent, 2).await;
            gate.wait_for_entry().await;
            gate.wait_for_entry().await;
            gate.open.add_permits(2);
            let row = world.wait_for(parent, State::Succeeded).await;
            assert_eq!(progress(&row).0, 10);
            assert_eq!(entries(&world, "job.finished").await, round);
        }
    }
}
