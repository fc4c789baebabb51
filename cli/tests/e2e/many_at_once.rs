//! What concerns hundreds of members is written in few statements: a build for tests refuses a change that takes more than 200
//! (`runtime/src/unit_of_work.rs`), because nobody else writes to a SQLite file meanwhile.

use reqwest::Method;
use serde_json::{Value, json};

use crate::gateway::at_rest;
use crate::moderation::Moderating;
use testkit::{Deployment, Guild, Member, both_modes};

both_modes!(
    a_role_that_many_hold_makes_them_staff(|setup| setup.members(300)),
    new_names_of_many_players_are_stored(|setup| setup.members(300)),
    many_links_are_imported_and_the_import_is_undone(|setup| setup.members(300)),
    many_bans_are_imported_and_the_import_is_undone(|setup| setup.members(300)),
);

async fn succeeded(deployment: &Deployment, kind: &str) {
    let jobs = at_rest(deployment, &format!("kind={kind}")).await;
    assert!(!jobs.is_empty() && jobs.iter().all(|job| job["state"] == "succeeded"), "{jobs:?}");
}

async fn a_role_that_many_hold_makes_them_staff(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    for (role, name) in guild.roles.iter().zip(["Helper", "Trainee", "Guide"]) {
        let path = format!("/guilds/{}/staff/roles/{role}", guild.id);
        api.send(Method::PUT, &path, Some(json!({ "role_name": name }))).await.ok();
    }
    api.patch(&format!("/guilds/{}/settings", guild.id), json!({ "staff_by_role": true })).await.ok();
    succeeded(deployment, "catch_up").await;
    let path = format!("/guilds/{}/jobs?kind=staff_by_role&limit=100", guild.id);
    let jobs = api.get(&path).await.ok();
    assert_eq!(jobs["jobs"].as_array().unwrap().len(), 100, "and more pages");
}

async fn new_names_of_many_players_are_stored(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    deployment.execute("UPDATE link SET play_username = 'Old' || chat_id").await;
    let started = api.post("/interactions/sync/all", json!({})).await.ok();
    let ended = deployment.job_ended(started["job_id"].as_str().unwrap()).await;
    assert_eq!(ended["state"], "succeeded", "{ended}");
    assert_eq!(deployment.simulator.wrong(guild).await, 0);
    for member in [&guild.members[0], &guild.members[150], &guild.members[299]] {
        let link = api.get(&format!("/guilds/{}/links/{}", guild.id, member.chat)).await.ok();
        assert_eq!(link["link"]["play_username"], member.name);
    }
}

/// Every member's game account goes to the next one.
fn rotated(guild: &Guild) -> Vec<Value> {
    let next = guild.members.iter().cycle().skip(1);
    let line = |(member, next): (&Member, &Member)| json!({ "chat_id": next.chat, "play_id": member.play });
    guild.members.iter().zip(next).map(line).collect()
}

async fn many_links_are_imported_and_the_import_is_undone(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let path = format!("/guilds/{}/links/import", guild.id);
    let done = api.post(&path, json!({ "lines": rotated(guild), "replace": true })).await.ok();
    assert!(done["lines"].as_array().unwrap().iter().all(|line| line["result"] == "replaced"));
    let link = async |member: &Member| {
        let path = format!("/guilds/{}/links/{}", guild.id, member.chat);
        api.get(&path).await.ok()["link"]["play_id"].clone()
    };
    assert_eq!(link(&guild.members[7]).await, guild.members[6].play);
    let undo = format!("/guilds/{}/links/imports/{}/undo", guild.id, done["import_id"]);
    assert_eq!(api.post(&undo, json!({})).await.ok(), json!({ "undone": 300, "left": 0 }));
    assert_eq!(link(&guild.members[7]).await, Value::Null);
    let jobs = api.get(&format!("/guilds/{}/jobs?kind=unlink_member&limit=100", guild.id)).await.ok();
    assert_eq!(jobs["jobs"].as_array().unwrap().len(), 100, "and more pages");
}

async fn many_bans_are_imported_and_the_import_is_undone(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let strangers = (0..704).map(|n| json!({ "chat_id": (2_000_000_000_000_000_000_u64 + n).to_string() }));
    let members = guild.members.iter().skip(4).map(|member| json!({ "play_id": member.play }));
    let bans: Vec<Value> = members.chain(strangers).collect();
    let done = api.post(&format!("/moderation/{}/bans/import", guild.id), json!({ "bans": bans })).await.ok();
    assert!(done["bans"].as_array().unwrap().iter().all(|line| line["result"] == "banned"));
    succeeded(deployment, "mirror_ban").await;
    assert_eq!(deployment.simulator.stats().await["bans"], 30, "a key's hour has no more");
    let undo = format!("/moderation/{}/bans/imports/{}/undo", guild.id, done["import_id"]);
    assert_eq!(api.post(&undo, json!({})).await.ok(), json!({ "undone": 1_000, "left": 0 }));
    succeeded(deployment, "mirror_ban").await;
    assert_eq!(deployment.ban_history("active=true").await, Vec::<Value>::new());
}
