//! How the platform comes to know the commands, and what it gets while something is slow or missing.

use serde_json::{Value, json};
use testkit::{Deployment, both_modes, eventually, http_client};

use super::{WITHIN, registered, typed};

both_modes!(
    a_slow_command_is_answered_in_time_and_changed_later(own),
    commands_are_registered_when_they_differ(own),
    without_a_public_key_none_comes_by_http(|setup| setup.env("GUILDHALL_CHAT_PUBLIC_KEY", "")),
);

pub(super) async fn a_slow_command_is_answered_in_time_and_changed_later(deployment: &Deployment) {
    registered(deployment).await;
    let (guild, admin) = (deployment.guild(), &deployment.guild().members[0].chat);
    let stranger = &deployment.other_guild().members[5];
    deployment.fault(json!({ "route": "POST /v1/usernames/users", "hang_ms": 5_000, "count": 1 })).await;
    let ban = json!({ "player": stranger.name, "reason": "slow" });
    let report = deployment.simulator.interact(guild, admin, "ban", ban).await;
    assert_eq!((&report["status"], &report["answer"]["type"]), (&json!(200), &json!(5)), "{report}");
    assert!(report["took_ms"].as_u64().unwrap() < 3_000, "{report}");
    let interaction = report["interaction_id"].as_str().unwrap();
    let state = deployment.simulator.seen(interaction).await;
    assert_eq!(state["thinking"], true, "{state}");
    let seen = eventually("the answer comes", WITHIN, async || {
        let state = deployment.simulator.seen(interaction).await;
        state["content"].as_str().is_some_and(|text| text.contains("Banned")).then_some(state)
    })
    .await;
    assert_eq!((&seen["ephemeral"], &seen["edits"]), (&json!(true), &json!(1)), "{seen}");
}

async fn commands_are_registered_when_they_differ(deployment: &Deployment) {
    let commands = async || deployment.simulator.commands().await;
    // At the start, by the process that answers them.
    let names = eventually("the commands are there", WITHIN, async || {
        let names: Vec<String> =
            commands().await.iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect();
        (!names.is_empty()).then_some(names)
    })
    .await;
    for name in
        ["link", "unlink", "whois", "sync", "sync-all", "ban", "unban", "banned", "strike", "leave", "setup"]
    {
        assert!(names.iter().any(|known| known == name), "{name} in {names:?}");
    }
    let before = commands().await;
    let said = deployment.command(&["chat", "register-commands"]).await.succeeded();
    assert_eq!(said.trim(), "the chat platform has these 12 commands already");
    assert_eq!(commands().await, before);
    deployment.simulator.put_commands(json!([{ "name": "old", "description": "Of another version" }])).await;
    let said = deployment.command(&["chat", "register-commands"]).await.succeeded();
    assert_eq!(said.trim(), "registered 12 commands");
    assert_eq!(commands().await.len(), 12);
    typed(deployment, &deployment.guild().members[0].chat, "banned", json!({}))
        .await
        .says(&["Nobody is banned"]);
}

async fn without_a_public_key_none_comes_by_http(deployment: &Deployment) {
    let url = format!("{}/chat/interactions", deployment.api_base(0));
    let answer = http_client().post(url).body("{}").send().await.unwrap();
    assert_eq!(answer.status().as_u16(), 503);
    let body: Value = answer.json().await.unwrap();
    assert_eq!(body["error"], "not_configured");
    assert!(body["message"].as_str().unwrap().contains("GUILDHALL_CHAT_PUBLIC_KEY"), "{body}");
    let refused =
        deployment.command(&["chat", "register-commands", "--chat-public-key", "abc"]).await.refused();
    assert!(refused.contains("is not a public key"), "{refused}");
}
