//! /strike, /leave, /sync-all and /setup.

use serde_json::json;
use testkit::{Deployment, both_modes, in_turn};

use super::{forged, typed};

both_modes!(all_members_are_synced_after_a_preview);

in_turn!(
    staff_get_strikes_and_ask_for_leave,
    setup_says_what_is_missing(own),
    a_sync_of_all_that_was_just_run_is_refused,
);

async fn all_members_are_synced_after_a_preview(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), &deployment.guild().members[0].chat);
    let wrong = deployment.simulator.wrong(guild).await;
    let preview =
        typed(deployment, owner, "sync-all", json!({})).await.until(deployment, "A sync would change").await;
    preview.says(&["give", "remove", "nickname"]);
    assert_eq!(deployment.simulator.wrong(guild).await, wrong, "a preview changes nothing");
    let run = preview.press(deployment, "Run the sync").await.until(deployment, "The sync is done").await;
    run.says(&["changed"]);
    assert_eq!(deployment.simulator.wrong(guild).await, 0);
}

async fn a_sync_of_all_that_was_just_run_is_refused(deployment: &Deployment) {
    let owner = &deployment.guild().members[0].chat;
    let preview =
        typed(deployment, owner, "sync-all", json!({})).await.until(deployment, "A sync would change").await;
    preview.press(deployment, "Run the sync").await.until(deployment, "The sync is done").await;
    // The message of the preview is gone; whoever presses again by an old client learns why nothing happens.
    let again = forged(deployment, owner, &preview.button("Run the sync")).await;
    assert!(again["data"]["content"].as_str().unwrap().contains("hour"), "{again}");
}

async fn staff_get_strikes_and_ask_for_leave(deployment: &Deployment) {
    let guild = deployment.guild();
    let (owner, moderator) = (&guild.members[0].chat, &guild.members[1].chat);
    let strike = json!({ "member": moderator, "reason": "rude", "severity": 3, "days": 30 });
    typed(deployment, owner, "strike", strike).await.says(&["strike of severity 3", "rude"]);
    let strikes = deployment.api().get(&format!("/guilds/{}/staff/strikes", guild.id)).await.ok();
    let strike = &strikes["strikes"][0];
    assert_eq!((&strike["staff_id"], &strike["issued_by"]), (&json!(moderator), &json!(owner)));
    let nobody = json!({ "member": guild.members[20].chat, "reason": "x" });
    typed(deployment, owner, "strike", nobody).await.says(&["staff"]);

    let leave = json!({ "days": 3, "reason": "exams", "from": "2099-05-01" });
    typed(deployment, moderator, "leave", leave).await.says(&["1 May 2099 to 3 May 2099", "approved"]);
    let asked = deployment.api().get(&format!("/guilds/{}/staff/leave-requests", guild.id)).await.ok();
    let request = &asked["requests"][0];
    assert_eq!(request["starts_at"], "2099-05-01T00:00:00Z", "{asked}");
    assert_eq!((&request["ends_at"], &request["reason"]), (&json!("2099-05-04T00:00:00Z"), &json!("exams")));
    let wrong = json!({ "days": 3, "reason": "x", "from": "tomorrow" });
    typed(deployment, moderator, "leave", wrong).await.says(&["2027-01-31"]);
    typed(deployment, moderator, "leave", json!({ "days": 1, "reason": "ill" }))
        .await
        .says(&["asked for leave"]);
}

async fn setup_says_what_is_missing(deployment: &Deployment) {
    let (guild, owner) = (deployment.guild(), &deployment.guild().members[0].chat);
    typed(deployment, owner, "setup check", json!({}))
        .await
        .says(&["✅ the bot is in this server", "Nothing is missing"]);
    deployment.simulator.set_members_intent(false).await;
    let settings = format!("/guilds/{}/settings", guild.id);
    deployment.api().patch(&settings, json!({ "link_ways": [] })).await.ok();
    let missing = typed(deployment, owner, "setup check", json!({})).await;
    missing.says(&[
        "❌ the bot's application has the Server Members Intent",
        "❌ members do not link themselves",
    ]);
    assert!(!missing.text().contains("Nothing is missing"));
}
