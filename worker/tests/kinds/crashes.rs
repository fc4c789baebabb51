//! Workers that are killed or asked to stop; the next one ends their jobs.

use std::sync::Arc;
use std::time::Duration;

use entities::JobId;
use entities::job::State;
use queue::Answer;
use serde_json::json;

use crate::fixture::{Fixture, until};
use crate::people::{Person, crowd};
use crate::process::Process;
use crate::sync_all::everybody;

const ADD_ROLE: &str = "PUT /guilds/:guild/members/:user/roles/:role";
const MEMBERS: &str = "GET /guilds/:guild/members";
const ROLES_BEFORE_THE_END: u64 = 60;

/// A process with a runtime of its own, which can be stopped at any point.
pub(crate) struct Mortal {
    runtime: tokio::runtime::Runtime,
    pub(crate) process: Process,
}

impl Mortal {
    pub(crate) async fn start(fixture: &Arc<Fixture>) -> Self {
        let fixture = Arc::clone(fixture);
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let process = runtime.spawn(async move { fixture.process().await }).await.unwrap();
        Self { runtime, process }
    }

    /// Ends the process as `kill -9` does: no task of it continues or cleans up.
    pub(crate) fn kill(self) {
        self.runtime.shutdown_background();
        drop(self.process);
    }
}

async fn slow_world(people: &[Person], latency_ms: u64) -> Arc<Fixture> {
    Arc::new(Fixture::slow(people, Duration::from_millis(latency_ms)).await)
}

async fn ends_right(fixture: &Fixture, process: &Process, (job, people): (JobId, &[Person])) {
    let Answer::Succeeded(result) = process.finish(job).await else { panic!("failed") };
    let total = i64::try_from(people.len()).unwrap();
    let planned = total * 40 / 100;
    assert_eq!(
        (&result["members"], &result["planned"], &result["failed"]),
        (&json!(total), &json!(planned), &json!(0))
    );
    let settled = result["updated"].as_i64().unwrap() + result["skipped"].as_i64().unwrap();
    assert_eq!(settled, planned);
    let row = process.row(job).await;
    assert_eq!((row.progress_done, row.progress_total, row.progress_failed), (total, total, 0));
    assert_eq!(fixture.wrong(people).await, 0);
    let chunks = process.chunks(job).await;
    let mut planned_members: Vec<String> = chunks
        .iter()
        .flat_map(|chunk| chunk.args["members"].as_array().unwrap())
        .map(|member| member["user"].as_str().unwrap().to_owned())
        .collect();
    let all = planned_members.len();
    planned_members.sort();
    planned_members.dedup();
    assert_eq!((all, planned_members.len()), (usize::try_from(planned).unwrap(), all));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_chunk_of_a_killed_worker_continues_from_its_checkpoint() {
    let people = crowd(500);
    let fixture = slow_world(&people, 10).await;
    // After these roles the platform answers no more, so the job cannot end before the kill.
    for (hang_ms, count) in [(1, ROLES_BEFORE_THE_END), (60_000, 1_000)] {
        fixture.order(&json!({ "route": ADD_ROLE, "hang_ms": hang_ms, "count": count })).await;
    }
    let mortal = Mortal::start(&fixture).await;
    let job = mortal.process.enqueue(&everybody()).await;
    until("updates", async || fixture.updates().await >= ROLES_BEFORE_THE_END).await;
    mortal.kill();
    fixture.clear_faults().await;
    let process = fixture.process().await;
    let before = fixture.updates().await;
    assert!(before < 200, "{before}");
    ends_right(&fixture, &process, (job, &people)).await;
    assert_eq!(fixture.updates().await, 200, "an update was repeated");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plan_of_a_killed_worker_continues_from_its_last_page() {
    let people = crowd(3_200);
    let fixture = slow_world(&people, 25).await;
    // Two of four pages.
    for (hang_ms, count) in [(1, 2), (60_000, 1_000)] {
        fixture.order(&json!({ "route": MEMBERS, "hang_ms": hang_ms, "count": count })).await;
    }
    let mortal = Mortal::start(&fixture).await;
    let job = mortal.process.enqueue(&everybody()).await;
    until("a page", async || mortal.process.row(job).await.checkpoint.is_some()).await;
    let kept = mortal.process.row(job).await.checkpoint.unwrap();
    mortal.kill();
    fixture.clear_faults().await;
    assert_eq!(kept["complete"], false, "{kept}");
    let process = fixture.process().await;
    ends_right(&fixture, &process, (job, &people)).await;
    assert_eq!(fixture.updates().await, 1_280);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stopping_worker_requeues_its_chunk_without_a_burned_attempt() {
    let people = crowd(500);
    let fixture = slow_world(&people, 10).await;
    // The stop comes before the last update, on a busy machine too.
    for (hang_ms, count) in [(1, ROLES_BEFORE_THE_END), (1_500, 1_000)] {
        fixture.order(&json!({ "route": ADD_ROLE, "hang_ms": hang_ms, "count": count })).await;
    }
    let first = fixture.process().await;
    let job = first.enqueue(&everybody()).await;
    until("updates", async || fixture.updates().await >= 50).await;
    first.context.close().await;
    fixture.clear_faults().await;
    let process = fixture.process().await;
    let chunk = &process.chunks(job).await[0];
    assert_eq!((chunk.state, chunk.attempt), (State::Queued, 0), "an attempt was burned");
    let done = u64::try_from(chunk.progress_done).unwrap();
    assert_eq!(done, fixture.updates().await, "an update in flight at the stop was not counted");
    ends_right(&fixture, &process, (job, &people)).await;
    assert_eq!(fixture.updates().await, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stopping_worker_keeps_the_page_that_it_plans() {
    let people = crowd(3_200);
    let fixture = slow_world(&people, 10).await;
    // The stop comes before the last page, on a busy machine too.
    for (hang_ms, count) in [(1, 1), (1_500, 1_000)] {
        fixture.order(&json!({ "route": MEMBERS, "hang_ms": hang_ms, "count": count })).await;
    }
    let first = fixture.process().await;
    let job = first.enqueue(&everybody()).await;
    until("a page", async || first.row(job).await.checkpoint.is_some()).await;
    first.context.clone().close().await;
    fixture.clear_faults().await;
    let process = fixture.process().await;
    let row = process.row(job).await;
    assert_eq!((row.state, row.attempt), (State::Queued, 0), "an attempt was burned");
    assert_eq!(row.checkpoint.unwrap()["complete"], false, "the stop came too late");
    ends_right(&fixture, &process, (job, &people)).await;
    assert_eq!(fixture.stats().await["page_calls"], 4, "a page was read twice, or lost at the stop");
}
