//! Parents and chunks: share, progress, the parent's end, failures, cancellation.

use entities::job::family::{self, Planned};
use entities::job::run::{self, Reached};
use entities::job::{self, Class, Known, Model, State, turns};
use entities::{JobId, Page, audit_entry};
use queue::Enqueued;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder};
use serde_json::json;

use crate::fixture::{Fixture, both_modes, guild};
use crate::kinds::{Chunk, ChunkHandler, Gate, Parent, ParentHandler, registry};

async fn start(fixture: &Fixture, gate: &Gate, chunks: i64) -> JobId {
    fixture.work_with(registry().with(ParentHandler).with(ChunkHandler(gate.clone())));
    let Enqueued { message, job, .. } = fixture.enqueue(&Parent { chunks }).await;
    fixture.queue.publish(message);
    job
}

async fn entries(fixture: &Fixture, action: &str) -> usize {
    audit_entry::list(fixture.context.database.read(), guild(), Some(action), Page::first(100))
        .await
        .unwrap()
        .len()
}

/// A waiting parent whose chunks have these outcomes.
async fn parent_with(fixture: &Fixture, fails: &[Option<&str>]) -> JobId {
    let Enqueued { job, .. } = fixture.enqueue(&Parent { chunks: 0 }).await;
    let now = fixture.context.clock.now();
    let conn = fixture.context.database.write();
    for word in fails {
        let chunk = Chunk { steps: 5, fails: word.map(str::to_owned) };
        fixture.insert_chunk(job, &chunk, 5).await;
    }
    let row = fixture.claim(job).await.unwrap();
    let planned = Planned { counters: json!({}), checkpoint: json!({}), known: row.known() };
    assert!(family::wait_for_children(conn, row.claim(), planned, now).await.unwrap().is_some());
    job
}

impl Fixture {
    async fn chunks(&self, parent: JobId) -> Vec<Model> {
        let chunks =
            job::Entity::find().filter(job::Column::ParentId.eq(parent)).order_by_asc(job::Column::JobId);
        chunks.all(self.context.database.read()).await.unwrap()
    }

    async fn release(&self, most: u64) {
        let (conn, now) = (self.context.database.write(), self.context.clock.now());
        let messages = turns::release(conn, guild(), Class::Bulk, most, now).await.unwrap();
        self.queue.publish(messages);
    }
}

fn progress(row: &Model) -> (i64, i64, i64) {
    (row.progress_done, row.progress_total, row.progress_failed)
}

both_modes! {
    async fn chunks_run_two_at_a_time_and_the_last_one_ends_the_parent(fixture: Fixture) {
        let gate = Gate::new();
        let parent = start(fixture, &gate, 7).await;
        for _ in 0..7 {
            gate.wait_for_entry().await;
            assert_eq!(fixture.row(parent).await.state, State::Waiting);
            gate.open.add_permits(1);
        }
        let row = fixture.wait_for(parent, State::Succeeded).await;
        assert_eq!(progress(&row), (35, 35, 7));
        assert_eq!(row.result, Some(json!({ "planned": 7, "stepped": 35 })));
        assert!(gate.most.load(std::sync::atomic::Ordering::SeqCst) <= 2, "the share of a guild");
        assert_eq!(entries(fixture, "job.finished").await, 1);
    }

    async fn a_parent_without_chunks_ends_at_once(fixture: Fixture) {
        let parent = start(fixture, &Gate::new(), 0).await;
        fixture.wait_for(parent, State::Succeeded).await;
    }

    async fn cancelling_a_parent_stops_its_running_chunks_and_starts_no_more(fixture: Fixture) {
        let gate = Gate::new();
        let parent = start(fixture, &gate, 7).await;
        gate.wait_for_entry().await;
        assert_eq!(gate.entered.available_permits(), 0, "the first chunk runs alone");
        gate.open.add_permits(1);
        gate.wait_for_entry().await;
        gate.wait_for_entry().await;
        fixture.cancel(parent).await;
        let row = fixture.wait_for(parent, State::Cancelled).await;
        assert_eq!(progress(&row), (9, 35, 1), "one was done, two chunks had come to their second step");
        assert_eq!(gate.entered.available_permits(), 0, "no fourth chunk began");
    }

    async fn cancelling_a_held_chunk_cancels_its_parent_and_the_other_chunks(fixture: Fixture) {
        let parent = parent_with(fixture, &[None, None]).await;
        let chunk = fixture.chunks(parent).await[1].job_id;
        assert_eq!(fixture.cancel(chunk).await.job_id, parent, "the whole job");
        assert_eq!(fixture.row(parent).await.state, State::Cancelled);
        assert!(fixture.chunks(parent).await.iter().all(|chunk| chunk.state == State::Cancelled));
        assert_eq!(entries(fixture, "job.finished").await, 1);
    }

    async fn cancelling_a_running_chunk_cancels_its_parent_with_what_was_done(fixture: Fixture) {
        let gate = Gate::new();
        let parent = start(fixture, &gate, 3).await;
        gate.wait_for_entry().await;
        let chunk = fixture.chunks(parent).await[0].job_id;
        fixture.cancel(chunk).await;
        let row = fixture.wait_for(parent, State::Cancelled).await;
        assert_eq!(row.result, Some(json!({ "planned": 3, "stepped": 2 })));
        assert!(fixture.chunks(parent).await.iter().all(|chunk| chunk.state == State::Cancelled));
    }

    async fn a_cancel_that_meets_the_planners_last_page_leaves_no_chunk(fixture: Fixture) {
        let Enqueued { job: parent, .. } = fixture.enqueue(&Parent { chunks: 0 }).await;
        let planner = fixture.claim(parent).await.unwrap();
        let (conn, now) = (fixture.context.database.write(), fixture.context.clock.now());
        fixture.cancel(parent).await;
        fixture.insert_chunk(parent, &Chunk { steps: 5, fails: None }, 5).await;
        assert_eq!(fixture.queue.rescue_orphaned().await.unwrap(), 1, "the planner's process has died");
        assert_eq!(fixture.row(parent).await.state, State::Cancelled);
        assert_eq!(fixture.chunks(parent).await[0].state, State::Cancelled);
        let planned = Planned { counters: json!({}), checkpoint: json!({}), known: planner.known() };
        assert!(family::wait_for_children(conn, planner.claim(), planned, now).await.unwrap().is_none());
    }

    async fn a_planner_whose_page_a_failover_lost_writes_nothing_more(fixture: Fixture) {
        let Enqueued { job: parent, .. } = fixture.enqueue(&Parent { chunks: 0 }).await;
        let planner = fixture.claim(parent).await.unwrap();
        let (conn, now) = (fixture.context.database.write(), fixture.context.clock.now());
        let page = |known: Known| Reached { checkpoint: json!({ "page": known.saves }), counters: None, known };
        let first = planner.known();
        assert!(run::checkpoint(conn, planner.claim(), page(first), now).await.unwrap());
        let second = Known { saves: first.saves + 1, ..first };
        assert!(run::checkpoint(conn, planner.claim(), page(second), now).await.unwrap());
        // The promoted standby knows the claim and the first page.
        fixture.execute("UPDATE job SET saves = 1, checkpoint = '{\"page\":0}'").await;
        let known = Known { saves: second.saves + 1, ..second };
        assert!(!run::checkpoint(conn, planner.claim(), page(known), now).await.unwrap());
        let planned = Planned { counters: json!({}), checkpoint: json!({}), known };
        assert!(family::wait_for_children(conn, planner.claim(), planned, now).await.unwrap().is_none());
        let row = fixture.row(parent).await;
        assert_eq!((row.state, row.saves, row.checkpoint), (State::Running, 1, Some(json!({ "page": 0 }))));
    }

    async fn a_dead_planner_ends_its_chunks_and_a_retry_plans_anew(fixture: Fixture) {
        let Enqueued { job: parent, .. } = fixture.enqueue(&Parent { chunks: 0 }).await;
        fixture.insert_chunk(parent, &Chunk { steps: 5, fails: None }, 5).await;
        fixture.claim(parent).await.unwrap();
        fixture.execute("UPDATE job SET class = 'quarantine', attempt = max_attempts, checkpoint = '{}' WHERE parent_id IS NULL").await;
        assert_eq!(fixture.queue.rescue_orphaned().await.unwrap(), 1);
        let row = fixture.row(parent).await;
        assert_eq!((row.state, row.checkpoint), (State::Dead, None));
        assert_eq!(fixture.chunks(parent).await[0].state, State::Cancelled);
    }

    async fn a_failed_chunk_fails_its_parent_with_its_error(fixture: Fixture) {
        let gate = Gate::new();
        let parent = parent_with(fixture, &[Some("role_gone"), None, None]).await;
        fixture.release(1).await;
        fixture.work_with(registry().with(ChunkHandler(gate.clone())));
        gate.open.add_permits(3);
        let row = fixture.wait_for(parent, State::Failed).await;
        assert_eq!(row.failure().unwrap().error, "role_gone");
        assert_eq!(progress(&row), (5, 0, 3), "two steps were taken, three are failed, other chunks did not begin");
        assert_eq!(row.result, Some(json!({ "stepped": 2 })), "what the failed chunk did is done");
    }

    async fn the_counters_of_cancelled_and_dead_chunks_are_added_to_the_parent(fixture: Fixture) {
        let gate = Gate::new();
        let parent = parent_with(fixture, &[None, None]).await;
        fixture.release(1).await;
        fixture.work_with(registry().with(ChunkHandler(gate.clone())));
        gate.wait_for_entry().await;
        let quarantined = "UPDATE job SET class = 'quarantine', worker = 'dead' \
                           WHERE parent_id IS NOT NULL AND state = 'running'";
        fixture.execute(quarantined).await;
        assert_eq!(fixture.queue.rescue_orphaned().await.unwrap(), 1);
        assert_eq!(fixture.chunks(parent).await[0].state, State::Dead);
        fixture.queue.release_stranded().await.unwrap();
        gate.wait_for_entry().await;
        fixture.cancel(parent).await;
        let row = fixture.wait_for(parent, State::Failed).await;
        assert_eq!(row.failure().unwrap().error, "worker_lost");
        assert_eq!(row.result, Some(json!({ "stepped": 4 })), "two steps of each");
    }

    async fn two_last_chunks_that_end_together_end_the_parent_once(fixture: Fixture) {
        let gate = Gate::new();
        fixture.work_with(registry().with(ChunkHandler(gate.clone())));
        for round in 1..=20 {
            let parent = parent_with(fixture, &[None, None]).await;
            fixture.release(2).await;
            gate.wait_for_entry().await;
            gate.wait_for_entry().await;
            gate.open.add_permits(2);
            let row = fixture.wait_for(parent, State::Succeeded).await;
            assert_eq!(progress(&row).0, 10);
            assert_eq!(entries(fixture, "job.finished").await, round);
        }
    }
}
