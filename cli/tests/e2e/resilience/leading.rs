//! Leadership among several scheduler processes.

mod kills;

use std::time::Duration;

use serde_json::json;

use testkit::{Deployment, JobState, eventually};

const SOON: Duration = Duration::from_secs(30);
/// The promise is 20 s; the machine may be slow.
pub(crate) const RESCUED_WITHIN: Duration = Duration::from_secs(60);

/// Kills a worker and asserts that the leader rescues its job.
pub(crate) async fn jobs_are_rescued(deployment: &Deployment) {
    let member = deployment.guild().lacking();
    let late =
        json!({ "route": "PUT /guilds/:guild/members/:user/roles/:role", "hang_ms": 60_000, "count": 1 });
    deployment.fault(late).await;
    let api = deployment.api().header("prefer", "respond-async");
    let answer =
        api.post("/interactions/roles/assign", json!({ "user_id": member.chat, "role_id": member.wanted }));
    assert_eq!(answer.await.status, 202);
    let running = eventually("the job runs", SOON, async || {
        Some(deployment.job_row("assign_role").await).filter(|row| row.state == JobState::Running)
    })
    .await;
    let mut killed = deployment.take_worker_of(&running);
    killed.process.kill();
    deployment.let_be_silent(&killed.process).await;
    // If the worker died before its request, the fault is still set.
    deployment.clear_faults().await;
    deployment.add_worker().await;
    let ended = eventually("the job runs elsewhere", RESCUED_WITHIN, async || {
        Some(deployment.job_row("assign_role").await).filter(|row| !row.state.is_open())
    })
    .await;
    assert_eq!((ended.state, ended.attempt, ended.token), (JobState::Succeeded, 1, 2), "{ended:?}");
}

/// Asserts that a failed attempt is retried.
pub(crate) async fn retries_come_back(deployment: &Deployment) {
    let member = deployment.guild().misnamed();
    let route = "PATCH /guilds/:guild/members/:user";
    deployment.fault(json!({ "route": route, "status": 500, "count": 1 })).await;
    let api = deployment.api().header("prefer", "respond-async");
    let answer = api.post("/interactions/sync", json!({ "user_id": member.chat })).await;
    let ended = deployment.job_ended(answer.body["data"]["job_id"].as_str().unwrap()).await;
    assert_eq!(ended["state"], "succeeded", "{ended}");
    assert!(deployment.simulator.is_right(deployment.guild(), member).await);
}
