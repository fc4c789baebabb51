//! Answers of a platform that do not fit into memory.

use std::time::Duration;

use serde_json::{Value, json};

use testkit::{Deployment, JobState, Roles, Running, both_modes, eventually};

both_modes!(a_huge_answer_is_cut_off_and_ends_only_its_own_job_as_dead(own));

/// More than a process may allocate.
const HUGE: u64 = 1 << 30;
/// Allowed rise of the peak memory: the cap of 8 MiB, and the variation of a debug build.
const RISE_KB: u64 = 100 * 1024;
const WITHIN: Duration = Duration::from_secs(60);

async fn a_huge_answer_is_cut_off_and_ends_only_its_own_job_as_dead(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let unwaiting = api.header("prefer", "respond-async");
    // A first sync, so that later growth comes from the huge answer.
    api.post("/interactions/sync", json!({ "user_id": guild.misnamed().chat })).await.ok();
    let before = peak_kb(deployment);
    for content_length in [false, true] {
        // Only syncs call this route.
        let route = "GET /cloud/v2/groups/-/memberships";
        let fault =
            json!({ "route": route, "huge_bytes": HUGE, "content_length": content_length, "count": 1000 });
        deployment.fault(fault).await;
        let answer = unwaiting.post("/interactions/sync", json!({ "user_id": guild.lacking().chat })).await;
        let job = answer.body["data"]["job_id"].as_str().unwrap().to_owned();
        deployment.execute("UPDATE job SET max_attempts = 2 WHERE kind = 'sync_member'").await;
        let right = guild.right();
        let other_job = json!({ "user_id": right.chat, "role_id": right.wanted });
        for _ in 0..3 {
            api.post("/interactions/roles/assign", other_job.clone()).await.ok();
        }
        let dead = eventually("the job is dead", WITHIN, async || {
            let rows = deployment.job_rows("sync_member").await;
            rows.into_iter().find(|row| row.job_id.to_string() == job && row.state == JobState::Dead)
        })
        .await;
        assert_eq!(dead.history().len(), 2, "it was tried again: {dead:?}");
        eventually("the log names it", WITHIN, async || {
            let log = runner(&mut deployment.roles()).process.log();
            let line = log.lines().find(|line| line.contains("a job is dead") && line.contains(&job))?;
            assert!(line.contains("WARN") && line.contains("platform_unavailable"), "{line}");
            Some(())
        })
        .await;
        let shown = api.get(&format!("/jobs/{job}")).await.ok();
        assert_eq!(shown["error"]["error"], "platform_unavailable", "{shown}");
        for error in shown["errors"].as_array().unwrap().iter().chain([&shown["error"]]) {
            assert!(error["message"].as_str().unwrap().contains("the answer is too large"), "{shown}");
        }
        deployment.clear_faults().await;
        api.post(&format!("/jobs/{job}/retry"), json!({})).await.ok();
        let ended = deployment.job_ended(&job).await;
        assert_eq!((&ended["state"], &ended["error"]), (&json!("succeeded"), &Value::Null), "{ended}");
    }
    let rise = peak_kb(deployment).saturating_sub(before);
    println!("peak memory before: {before} kB; after {HUGE} bytes were offered four times: {rise} kB more");
    assert!(rise < RISE_KB, "{rise} kB");
}

/// The process that runs jobs.
fn runner(roles: &mut Roles) -> &mut Running {
    if roles.workers.is_empty() { &mut roles.apis[0] } else { &mut roles.workers[0] }
}

/// Its peak memory (`VmHWM`).
fn peak_kb(deployment: &Deployment) -> u64 {
    let id = runner(&mut deployment.roles()).process.id();
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}
