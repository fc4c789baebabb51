//! Of several scheduler processes one leads.

mod kills;

use std::time::Duration;

use serde_json::json;

use crate::harness::{JobState, World, eventually};

const SOON: Duration = Duration::from_secs(30);
/// The promise is 20 s; the machine may be slow.
const RESCUED_WITHIN: Duration = Duration::from_secs(60);

/// Whoever leads rescues the job of a worker that is killed.
pub(crate) async fn jobs_are_rescued(world: &World) {
    let member = world.guild().lacking();
    let late =
        json!({ "route": "PUT /guilds/:guild/members/:user/roles/:role", "hang_ms": 60_000, "count": 1 });
    world.simulator.fault(late).await;
    let api = world.api().header("prefer", "respond-async");
    let answer =
        api.post("/interactions/roles/assign", json!({ "user_id": member.chat, "role_id": member.wanted }));
    assert_eq!(answer.await.status, 202);
    let running = eventually("the job runs", SOON, async || {
        Some(world.job_row("assign_role").await).filter(|row| row.state == JobState::Running)
    })
    .await;
    world.take_worker_of(&running).process.kill();
    // It may have died before its request.
    world.simulator.clear_faults().await;
    world.add_worker().await;
    let ended = eventually("the job runs elsewhere", RESCUED_WITHIN, async || {
        Some(world.job_row("assign_role").await).filter(|row| !row.state.is_open())
    })
    .await;
    assert_eq!((ended.state, ended.attempt, ended.token), (JobState::Succeeded, 1, 2), "{ended:?}");
}

/// A failed attempt is followed by another, whether or not any process leads.
pub(crate) async fn retries_come_back(world: &World) {
    let member = world.guild().misnamed();
    let route = "PATCH /guilds/:guild/members/:user";
    world.simulator.fault(json!({ "route": route, "status": 500, "count": 1 })).await;
    let api = world.api().header("prefer", "respond-async");
    let answer = api.post("/interactions/sync", json!({ "user_id": member.chat })).await;
    let ended = world.job_ended(answer.body["data"]["job_id"].as_str().unwrap()).await;
    assert_eq!(ended["state"], "succeeded", "{ended}");
    assert!(world.simulator.is_right(world.guild(), member).await);
}
