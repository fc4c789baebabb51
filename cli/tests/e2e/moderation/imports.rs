//! `POST /moderation/:guildId/bans/import` and its undo: an answer for each line, and what is written and taken back.

use serde_json::{Value, json};

use super::{Moderating, STRANGER_CHAT};
use testkit::{Answer, Deployment, both_modes, in_turn};

both_modes!(each_line_is_answered_and_an_import_is_undone);

in_turn!(an_import_is_refused_as_a_whole, what_changed_since_stays, imports_belong_to_their_guild_and_kind);

async fn import(deployment: &Deployment, body: Value) -> Answer {
    deployment.api().post(&deployment.moderation("bans/import"), body).await
}

async fn undo(deployment: &Deployment, import: &Value) -> Answer {
    deployment.api().post(&deployment.moderation(&format!("bans/imports/{import}/undo")), json!({})).await
}

fn results(answer: &Value) -> Vec<&str> {
    answer["bans"].as_array().unwrap().iter().map(|line| line["result"].as_str().unwrap()).collect()
}

async fn is_banned(deployment: &Deployment, identifier: &str) -> bool {
    let path = deployment.moderation(&format!("ban-status/{identifier}"));
    deployment.api().get(&path).await.ok()["banned"].as_bool().unwrap()
}

async fn each_line_is_answered_and_an_import_is_undone(deployment: &Deployment) {
    let guild = deployment.guild();
    let [before, member, staff] = [6, 12, 1].map(|number| &guild.members[number]);
    let strangers = [8, 9].map(|number| &deployment.other_guild().members[number]);
    deployment.sanction("ban", &before.chat, json!({})).await.ok();
    let lines = json!([
        { "play_id": strangers[0].play, "reason": "exploits", "expires_at": "2040-04-12T18:33:21Z",
          "moderator_id": guild.members[2].chat, "banned_at": "2024-04-12T18:33:21Z" },
        { "play_username": strangers[1].name.to_uppercase() },
        { "chat_id": member.chat, "reason": "spam" },
        { "play_id": before.play, "reason": "again" },
        { "chat_id": staff.chat },
        { "play_id": member.play.to_string() },
        { "play_username": "nobody_has_this" },
        { "play_id": 987_654_321 },
        { "chat_id": STRANGER_CHAT, "expires_at": "2020-01-01T00:00:00Z" },
        { "play_id": 7, "expires_at": "soon" },
        { "reason": "who" },
    ]);
    let expected = [
        "banned",
        "banned",
        "banned",
        "already_banned",
        "protected",
        "duplicate",
        "unknown_player",
        "unknown_player",
        "ended",
        "invalid",
        "invalid",
    ];
    let dry = import(deployment, json!({ "bans": lines, "dry_run": true })).await.ok();
    assert_eq!((results(&dry), &dry["import_id"]), (expected.to_vec(), &Value::Null));
    assert!(!is_banned(deployment, &member.chat).await, "nothing was written");

    let done = import(deployment, json!({ "bans": lines })).await.ok();
    assert_eq!(results(&done), expected);
    let line = |number: usize| &done["bans"][number];
    assert_eq!((&line(9)["field"], &line(10)["field"]), (&json!("expires_at"), &json!("play_id")));
    assert_eq!(line(1)["play_username"], strangers[1].name.as_str());
    for identifier in [&strangers[0].play.to_string(), &strangers[1].play.to_string(), &member.chat] {
        assert!(is_banned(deployment, identifier).await, "{identifier}");
    }
    let history = deployment.ban_history("active=true").await;
    let ban = history.iter().find(|ban| ban["id"] == line(0)["id"]).unwrap();
    assert_eq!((&ban["reason"], &ban["expires_at"]), (&json!("exploits"), &json!("2040-04-12T18:33:21Z")));
    assert_eq!(ban["moderator_id"], guild.members[2].chat.as_str());
    let audit = deployment.audit("moderation.ban").await;
    let entry = audit.iter().find(|entry| entry["metadata"]["id"] == line(0)["id"]).unwrap();
    let metadata = &entry["metadata"];
    assert_eq!(
        (&metadata["imported"], &metadata["banned_at"]),
        (&json!(true), &json!("2024-04-12T18:33:21Z"))
    );
    let activity = deployment.api().get(&format!("/staff/activity/{}", guild.id)).await.ok();
    assert_eq!(activity["actions"].as_array().unwrap().len(), 1, "an import is no staff action: {activity}");

    let undone = undo(deployment, &done["import_id"]).await.ok();
    assert_eq!(undone, json!({ "undone": 3, "left": 0 }));
    assert!(!is_banned(deployment, &member.chat).await);
    assert!(is_banned(deployment, &before.chat).await, "banned before the import");
    undo(deployment, &done["import_id"]).await.refused(409, &["undone already"]);
    let activity = deployment.api().get(&format!("/staff/activity/{}", guild.id)).await.ok();
    assert_eq!(activity["actions"].as_array().unwrap().len(), 1);
}

async fn an_import_is_refused_as_a_whole(deployment: &Deployment) {
    let many = vec![json!({ "play_id": 7 }); 1_001];
    import(deployment, json!({ "bans": many })).await.refused(400, &["`bans`", "1000"]);
    import(deployment, json!({ "bans": [7] })).await.refused(400, &["`bans[0]`"]);
    import(deployment, json!({})).await.refused(400, &["`bans` is missing"]);
}

async fn what_changed_since_stays(deployment: &Deployment) {
    let [lifted, replaced, kept] = [11, 12, 13].map(|number| &deployment.guild().members[number]);
    let bans = [lifted, replaced, kept].map(|member| json!({ "play_id": member.play, "reason": "spam" }));
    let done = import(deployment, json!({ "bans": bans })).await.ok();
    deployment.sanction("unban", &lifted.play.to_string(), json!({})).await.ok();
    deployment.sanction("ban", &replaced.chat, json!({ "reason": "worse" })).await.ok();
    assert_eq!(undo(deployment, &done["import_id"]).await.ok(), json!({ "undone": 1, "left": 2 }));
    assert!(is_banned(deployment, &replaced.chat).await && !is_banned(deployment, &kept.chat).await);
}

async fn imports_belong_to_their_guild_and_kind(deployment: &Deployment) {
    let guild = deployment.guild();
    let bans = json!({ "bans": [{ "play_id": guild.members[11].play }] });
    let done = import(deployment, bans).await.ok();
    let links = format!("/guilds/{}/links/imports/{}/undo", guild.id, done["import_id"]);
    deployment.api().post(&links, json!({})).await.refused(404, &["no such import"]);
    let other = deployment.other_guild();
    let theirs = format!("/moderation/{}/bans/imports/{}/undo", other.id, done["import_id"]);
    let api = deployment.api().key(&other.admin_key);
    api.post(&theirs, json!({})).await.refused(404, &["no such import"]);
    undo(deployment, &json!(987_654_321)).await.refused(404, &["no such import"]);
}
