//! Passes give way to syncs that somebody waits for.

use super::*;

in_turn!(whoever_waits_for_a_sync_goes_first(crate::follow::following));

async fn whoever_waits_for_a_sync_goes_first(deployment: &Deployment) {
    ended(deployment, &Value::Null).await;
    let (guild, other) = (deployment.guild(), deployment.other_guild());
    deployment.command(&["jobs", "pause", "--guild", &other.id]).await.succeeded();
    let theirs = deployment.api().key(&other.admin_key);
    let asked = theirs.post("/interactions/sync/all", json!({})).await.ok()["job_id"].clone();
    // Nobody waits for one that an operator has paused.
    let since = hurry(deployment).await;
    ended(deployment, &since).await;
    let due_at = async |time: &str| {
        let theirs = format!("guild_id = {} AND kind = 'sync_all' AND finished_at IS NULL", other.id);
        deployment.execute(&format!("UPDATE job SET run_at = {time} WHERE {theirs}")).await;
    };
    due_at("'2126-01-01T00:00:00+00:00'").await;
    deployment.command(&["jobs", "resume", "--guild", &other.id]).await.succeeded();
    let since = hurry(deployment).await;
    let (api, path) = follow(deployment);
    let waits = eventually("the pass waits", FOLLOWS_WITHIN, async || {
        let pass = api.get(&path).await.ok()["job_id"].as_str()?.to_owned();
        let job = api.get(&format!("/jobs/{pass}")).await.ok();
        (job["error"]["error"] == "follow_waits").then_some(job)
    })
    .await;
    assert!(waits["error"]["message"].as_str().unwrap().contains("gives way"), "{waits}");
    due_at("created_at").await;
    deployment.job_of(&other.admin_key, asked.as_str().unwrap()).await;
    ended(deployment, &since).await;
    // Its own guild's sync ends it.
    api.post("/interactions/sync/all", json!({})).await.ok();
    assert_eq!(deployment.simulator.wrong(guild).await, 0);
}
