//! A job that ends its process in each run. A supervisor starts the process again, as systemd would.

mod supervised;

use std::time::Duration;

use serde_json::{Value, json};

use supervised::Supervised;
use testkit::{Deployment, JobRow, JobState, Mode, Setup, eventually, run_unstarted};

const POISON: &str = "after_claim:assign_role=abort";
/// Crashes that cost no attempt; after them the job is quarantined.
const FREE: usize = 2;
const ATTEMPTS: usize = 2;
/// The starts of five processes, and the leader's looks between them.
const ENDS_WITHIN: Duration = Duration::from_secs(60);

#[test]
fn a_poison_job_ends_dead_and_can_be_retried_through_the_api() {
    poison(Mode::Distributed, async |deployment, job| {
        let queued = deployment.api().post(&format!("/jobs/{job}/retry"), json!({})).await.ok();
        assert_eq!((&queued["state"], &queued["error"]["error"]), (&json!("queued"), &json!("worker_lost")));
    });
}

#[test]
fn a_poison_job_in_serve_ends_dead_and_can_be_retried_by_command() {
    poison(Mode::Embedded, async |deployment, job| {
        let said = deployment.command(&["jobs", "retry", job]).await.succeeded();
        assert!(said.contains("due now"), "{said}");
    });
}

fn poison(mode: Mode, replay: impl AsyncFnOnce(&Deployment, &str)) {
    // With the latency, other jobs run at each crash.
    run_unstarted(Setup::new(mode).members(60).latency_ms(200), async |deployment| {
        let mut fatal = Supervised::start(deployment, &[("GUILDHALL_FAIL_POINTS", POISON)]).await;
        let others = enqueue(deployment).await;
        let dead = eventually("the poison job is dead", ENDS_WITHIN, async || {
            fatal.tend(deployment).await;
            deployment.execute("UPDATE job SET max_attempts = 2 WHERE kind = 'assign_role'").await;
            // Its backoff is over.
            let due = "UPDATE job SET run_at = created_at WHERE kind = 'assign_role' AND state = 'queued'";
            deployment.execute(due).await;
            Some(deployment.job_row("assign_role").await).filter(|row| row.state == JobState::Dead)
        })
        .await;
        assert_eq!(fatal.deaths, FREE + ATTEMPTS, "each of its runs ended one process, and no other job did");
        assert_eq!(dead.history().len(), FREE + ATTEMPTS);
        fatal.tend(deployment).await;
        unharmed(deployment, others).await;
        fatal.replace(deployment, &[]).await;
        let job = dead.job_id.to_string();
        listed(deployment, &job).await;
        replay(deployment, &job).await;
        let ended = deployment.job_ended(&job).await;
        assert_eq!((&ended["state"], &ended["error"]), (&json!("succeeded"), &Value::Null), "{ended}");
        assert_eq!(
            ended["errors"].as_array().unwrap().len(),
            FREE + ATTEMPTS,
            "its history is kept: {ended}"
        );
        assert_eq!(deployment.simulator.wrong(deployment.guild()).await, 0);
    });
}

/// Enqueues a bulk sync, single syncs, and the poison job last. Returns the number of jobs before it.
async fn enqueue(deployment: &Deployment) -> usize {
    let api = deployment.api().header("prefer", "respond-async");
    let guild = deployment.guild();
    api.post("/interactions/sync/all", json!({})).await.ok();
    for member in &guild.members[..6] {
        let answer = api.post("/interactions/sync", json!({ "user_id": member.chat })).await;
        assert_eq!(answer.status, 202, "{answer}");
    }
    let right = guild.right();
    let body = json!({ "user_id": right.chat, "role_id": right.wanted });
    // In embedded mode the process may end before it can answer.
    let asked = testkit::http_client()
        .post(format!("{}/interactions/roles/assign", deployment.api_base(0)))
        .header("x-api-key", &guild.admin_key)
        .header("prefer", "respond-async")
        .json(&body);
    drop(asked.send().await);
    7
}

/// Asserts that all other jobs succeed without a burned attempt.
async fn unharmed(deployment: &Deployment, others: usize) {
    let rows = eventually("the others have ended", ENDS_WITHIN, async || {
        let mut rows: Vec<JobRow> = Vec::new();
        for kind in ["sync_all", "sync_chunk", "sync_member"] {
            rows.extend(deployment.job_rows(kind).await);
        }
        rows.iter().all(|row| !row.state.is_open()).then_some(rows)
    })
    .await;
    assert!(rows.len() > others, "no chunks: {rows:?}");
    let lost: usize = rows.iter().map(|row| row.history().len()).sum();
    println!("{} others, of whose runs {lost} were lost with their process", rows.len());
    for row in rows {
        assert_eq!((row.state, row.attempt), (JobState::Succeeded, 1), "{row:?}");
    }
}

/// The dead job is shown with the errors of its attempts: by commands, and through the API without the workers' names.
async fn listed(deployment: &Deployment, job: &str) {
    let list =
        deployment.command(&["jobs", "list", "--state", "dead", "--kind", "assign_role"]).await.succeeded();
    let line = list.lines().find(|line| line.contains(job)).unwrap_or_else(|| panic!("not listed: {list}"));
    assert!(line.contains("worker_lost: the worker"), "{line}");
    let show = deployment.command(&["jobs", "show", job]).await.succeeded();
    assert_eq!(show.matches("worker_lost  ").count(), FREE + ATTEMPTS, "{show}");
    let shown = deployment.api().get(&format!("/jobs/{job}")).await.ok();
    let errors = shown["errors"].as_array().unwrap();
    let tries: Vec<_> = errors.iter().map(|error| error["attempt"].as_u64().unwrap()).collect();
    assert_eq!(tries, [1, 1, 1, 2], "{shown}");
    assert!(
        errors.iter().all(|error| error["error"] == "worker_lost" && error.get("worker").is_none()),
        "{shown}"
    );
}
