//! Of several scheduler processes one leads.

mod kills;

use serde_json::json;

use crate::harness::World;

/// A job that fails once is promoted by whoever leads.
pub(crate) async fn retries_come_back(world: &World) {
    let member = world.guild().lacking();
    let route = "PUT /guilds/:guild/members/:user/roles/:role";
    world.simulator.fault(json!({ "route": route, "status": 500, "count": 1 })).await;
    let api = world.api().header("prefer", "respond-async");
    let answer = api.post("/interactions/sync", json!({ "user_id": member.chat })).await;
    let ended = world.job_ended(answer.body["data"]["job_id"].as_str().unwrap()).await;
    assert_eq!(ended["state"], "succeeded", "{ended}");
    assert!(world.simulator.is_right(world.guild(), member).await);
}
