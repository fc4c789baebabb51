//! A sync: previewed, run, followed to its end without a reload; and a retry of a failed job.

use std::time::Duration;

use serde_json::json;
use testkit::{Deployment, both_modes};

use super::super::devtools::Browser;
use super::super::owner;

both_modes!(a_sync_is_previewed_run_and_followed, a_job_that_failed_is_retried);

const ENDS_WITHIN: Duration = Duration::from_secs(30);

async fn a_sync_is_previewed_run_and_followed(deployment: &Deployment) {
    let (browser, guild) = (Browser::join().await, deployment.guild());
    let tab = owner(deployment, &browser).await;
    tab.click("Sync").await;
    tab.sees("brings the Discord roles and nicknames").await;
    tab.button("Preview the sync").await;
    // The page follows the live socket.
    tab.sees_within("Members to change", ENDS_WITHIN).await;
    assert_eq!(deployment.simulator.updates_of(guild).await, 0);
    tab.passes().await;
    tab.click("Run the sync").await;
    tab.sees("Admins can undo it within an hour").await;
    if tab.text().await.contains("Type the word sync") {
        tab.fill("Confirm", "sync").await;
    }
    tab.button("Remove").await;
    tab.sees("The sync has started").await;
    tab.sees_within("succeeded", ENDS_WITHIN).await;
    // The content added below the pointer has not scrolled the page.
    tab.sees_within("Members changed", ENDS_WITHIN).await;
    assert_eq!(tab.evaluate("scrollY").await.as_f64(), Some(0.0));
    assert_eq!(deployment.simulator.wrong(guild).await, 0);
    tab.passes().await;
}

async fn a_job_that_failed_is_retried(deployment: &Deployment) {
    let (browser, guild) = (Browser::join().await, deployment.guild());
    let member = guild.lacking();
    let change = |change: &str, value: serde_json::Value| {
        let mut body = json!({ "guild_id": guild.id, "chat_id": member.chat });
        body[change] = value;
        body
    };
    deployment.simulator.change_member(change("remove", json!(true))).await;
    let api = deployment.api().header("prefer", "respond-async");
    let answer = api.post("/interactions/sync", json!({ "user_id": member.chat })).await;
    let job = answer.body["data"]["job_id"].as_str().unwrap().to_owned();
    let failed = deployment.job_ended(&job).await;
    assert!(failed["state"] == "failed" || failed["state"] == "dead", "{failed}");
    deployment.simulator.change_member(change("roles", json!([]))).await;
    let tab = owner(deployment, &browser).await;
    tab.goto(&format!("/console/guilds/{}/jobs/{job}", guild.id)).await;
    tab.passes().await;
    tab.button("Retry job").await;
    tab.sees_within("succeeded", ENDS_WITHIN).await;
    assert!(deployment.simulator.is_right(guild, member).await);
}
