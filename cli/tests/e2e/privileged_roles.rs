//! Roles with administrator or manage permissions: the setting `allowed_privileged_roles` (docs/rules.md 5).

use serde_json::{Value, json};

use testkit::{Deployment, both_modes};

both_modes!(
    a_privileged_role_is_granted_only_if_the_guild_allows_it,
    a_privileged_role_is_assigned_by_hand_only_if_the_guild_allows_it,
    only_an_admin_key_allows_a_privileged_role,
);

const SETTING: &str = "allowed_privileged_roles";
const PRIVILEGED: &str = "role_privileged";

fn settings(deployment: &Deployment) -> String {
    format!("/guilds/{}/settings", deployment.guild().id)
}

async fn allow(deployment: &Deployment, roles: Value) {
    let data = deployment.api().patch(&settings(deployment), json!({ SETTING: roles.clone() })).await.ok();
    assert_eq!(data[SETTING], roles);
    assert_eq!(deployment.api().get(&settings(deployment)).await.ok()[SETTING], roles);
}

async fn a_privileged_role_is_granted_only_if_the_guild_allows_it(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let (member, role) = (guild.lacking(), &guild.privileged_role);
    let binding =
        json!({ "type": "group_rank", "group_id": guild.group, "rank": member.rank, "role_id": role });
    let reasons = async || api.post("/bindings/validate", binding.clone()).await.ok()["reasons"].clone();
    let refused = reasons().await;
    assert_eq!(refused[0]["error"], PRIVILEGED, "{refused}");
    let message = refused[0]["message"].as_str().unwrap();
    assert!(message.contains("Manage Server") && message.contains(SETTING), "{message}");

    api.post("/bindings/add", binding.clone()).await.ok();
    let sync = json!({ "user_id": member.chat });
    let data = api.post("/interactions/sync", sync.clone()).await.ok();
    assert_eq!(data["added_roles"], json!([member.wanted]), "{data}");
    let failed = &data["failed_roles"][0];
    assert_eq!((&failed["role_id"], &failed["error"]), (&json!(role), &json!(PRIVILEGED)), "{data}");
    let started = api.post("/interactions/sync/all", json!({ "dry_run": true })).await.ok();
    let ended = deployment.job_ended(started["job_id"].as_str().unwrap()).await;
    let listed = &ended["result"]["ungrantable_roles"][0];
    assert_eq!((&listed["role_id"], &listed["error"]), (&json!(role), &json!(PRIVILEGED)), "{ended}");

    allow(deployment, json!([role])).await;
    assert_eq!(reasons().await, json!([]));
    assert_eq!(api.post("/interactions/sync", sync.clone()).await.ok()["added_roles"], json!([role]));
    // Without the permission the role is not granted any more, and still removed.
    allow(deployment, json!([])).await;
    let gone = json!({ "group_id": guild.group, "play_id": member.play, "ranks": [] });
    deployment.simulator.change_member(gone).await;
    let data = api.post("/interactions/sync", sync).await.ok();
    assert!(data["removed_roles"].as_array().unwrap().contains(&json!(role)), "{data}");
}

async fn a_privileged_role_is_assigned_by_hand_only_if_the_guild_allows_it(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let (member, role) = (guild.right(), &guild.privileged_role);
    let change = json!({ "user_id": member.chat, "role_id": role });
    let (assign, remove) = ("/interactions/roles/assign", "/interactions/roles/remove");
    let words = ["Steward", role, "Manage Server", SETTING];
    let refused = api.post(assign, change.clone()).await.refused(422, &words);
    assert_eq!(refused.error(), "role_not_grantable");
    assert_eq!(deployment.simulator.member(guild, &member.chat).await["roles"], json!([member.wanted]));
    allow(deployment, json!([role])).await;
    api.post(assign, change.clone()).await.ok();
    allow(deployment, json!([])).await;
    api.post(remove, change).await.ok();
    assert_eq!(deployment.simulator.member(guild, &member.chat).await["roles"], json!([member.wanted]));
}

async fn only_an_admin_key_allows_a_privileged_role(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let roles = json!({ SETTING: [guild.privileged_role] });
    api.key(&guild.game_key).patch(&settings(deployment), roles.clone()).await.refused(403, &["admin"]);
    assert_eq!(api.get(&settings(deployment)).await.ok()[SETTING], json!([]));
    api.patch(&settings(deployment), roles).await.ok();
    let entry = &deployment.audit("settings.update").await[0];
    assert_eq!(entry["metadata"]["after"][SETTING], json!([guild.privileged_role]), "{entry}");
}
