//! `POST /guilds/:guildId/links/import` (docs/rules.md 11): an answer for each line, and what is written.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use testkit::{Answer, Deployment, OUTSIDER, both_modes, eventually, in_turn};

both_modes!(each_line_is_answered_and_the_good_ones_are_linked);

in_turn!(
    an_import_is_refused_as_a_whole,
    an_import_is_undone_but_for_what_changed_since,
    names_are_asked_of_the_platform,
    files_of_other_bots_are_imported_by_the_command
);

/// The longest wait for the jobs of a change.
const WITHIN: Duration = Duration::from_secs(30);

async fn import(deployment: &Deployment, body: Value) -> Answer {
    deployment.api().post(&format!("/guilds/{}/links/import", deployment.guild().id), body).await
}

fn path(deployment: &Deployment, chat: &str) -> String {
    format!("/guilds/{}/links/{chat}", deployment.guild().id)
}

async fn link_of(deployment: &Deployment, chat: &str) -> Value {
    deployment.api().get(&path(deployment, chat)).await.ok()["link"].clone()
}

fn results(answer: &Value) -> Vec<&str> {
    answer["lines"].as_array().unwrap().iter().map(|line| line["result"].as_str().unwrap()).collect()
}

async fn each_line_is_answered_and_the_good_ones_are_linked(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let [new, kept, from] = [12, 13, 14].map(|number| &guild.members[number]);
    api.delete(&path(deployment, &new.chat)).await.ok();
    let lines = json!([
        { "chat_id": new.chat, "play_id": new.play },
        { "chat_id": kept.chat, "play_id": kept.play.to_string(), "play_username": kept.name },
        { "chat_id": OUTSIDER, "play_id": from.play },
        { "chat_id": new.chat, "play_id": 880_001, "play_username": "other" },
        { "chat_id": "x", "play_id": 880_002, "play_username": "other" },
        { "chat_id": "1999999999999999002" },
        { "chat_id": "1999999999999999003", "play_id": 987_654_321 },
    ]);
    let expected = ["linked", "unchanged", "conflict", "duplicate", "invalid", "invalid", "unknown_player"];
    let dry = import(deployment, json!({ "lines": lines, "dry_run": true })).await.ok();
    assert_eq!((results(&dry), &dry["job_id"]), (expected.to_vec(), &Value::Null));
    assert_eq!(link_of(deployment, &new.chat).await, Value::Null, "nothing was written");

    let done = import(deployment, json!({ "lines": lines })).await.ok();
    assert_eq!(results(&done), expected);
    let line = |number: usize| &done["lines"][number];
    assert_eq!(line(0)["play_username"], new.name.as_str(), "by the game platform");
    assert_eq!(line(2)["others"][0]["chat_id"], from.chat.as_str());
    assert_eq!((&line(4)["field"], &line(5)["field"]), (&json!("chat_id"), &json!("play_id")));
    assert_eq!(link_of(deployment, &new.chat).await["source"], "import");
    assert_eq!(deployment.audit("links.import").await[0]["metadata"], json!({ "new": 1, "changed": 0 }));
    eventually("roles and nickname are right", WITHIN, async || {
        deployment.simulator.is_right(guild, new).await.then_some(())
    })
    .await;
    let ended = deployment.job_ended(done["job_id"].as_str().unwrap()).await;
    assert_eq!(ended["state"], "succeeded", "{ended}");
    replaced(deployment).await;
}

/// The account of one member moves to somebody else.
async fn replaced(deployment: &Deployment) {
    let from = &deployment.guild().members[14];
    let lines = json!([{ "chat_id": OUTSIDER, "play_id": from.play }]);
    let done = import(deployment, json!({ "lines": lines, "replace": true })).await.ok();
    assert_eq!(results(&done), ["replaced"]);
    assert_eq!(done["lines"][0]["others"][0]["chat_id"], from.chat.as_str());
    assert_eq!(done["job_id"], Value::Null, "the hour is used up");
    assert_eq!(link_of(deployment, &from.chat).await, Value::Null);
    assert_eq!(link_of(deployment, OUTSIDER).await["play_id"], from.play);
    eventually("roles and nickname are gone", WITHIN, async || {
        let found = deployment.simulator.member(deployment.guild(), &from.chat).await;
        (found["roles"] == json!([]) && found["nick"].is_null()).then_some(())
    })
    .await;
}

async fn an_import_is_refused_as_a_whole(deployment: &Deployment) {
    let line = json!({ "chat_id": OUTSIDER, "play_id": 880_001, "play_username": "a" });
    let many = vec![line.clone(); 1_001];
    import(deployment, json!({ "lines": many })).await.refused(400, &["`lines`", "1000"]);
    import(deployment, json!({ "lines": ["7,8"] })).await.refused(400, &["`lines[0]`"]);
    import(deployment, json!({})).await.refused(400, &["`lines` is missing"]);
    let path = format!("/guilds/{}/links/import", deployment.guild().id);
    let game = deployment.api().key(&deployment.guild().game_key);
    game.post(&path, json!({ "lines": [line] })).await.refused(403, &["links"]);
}

async fn an_import_is_undone_but_for_what_changed_since(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let [ended, moved] = [12, 13].map(|number| &guild.members[number]);
    for member in [ended, moved] {
        api.delete(&path(deployment, &member.chat)).await.ok();
    }
    let lines = [ended, moved].map(|member| json!({ "chat_id": member.chat, "play_id": member.play }));
    let done = import(deployment, json!({ "lines": lines })).await.ok();
    api.delete(&path(deployment, &moved.chat)).await.ok();
    let again = json!({ "play_id": moved.play });
    api.send(Method::PUT, &path(deployment, &moved.chat), Some(again)).await.ok();
    let undo = format!("/guilds/{}/links/imports/{}/undo", guild.id, done["import_id"]);
    assert_eq!(api.post(&undo, json!({})).await.ok(), json!({ "undone": 1, "left": 1 }));
    assert_eq!(link_of(deployment, &ended.chat).await, Value::Null);
    assert_eq!(link_of(deployment, &moved.chat).await["source"], "api");
    api.post(&undo, json!({})).await.refused(409, &["undone already"]);
}

async fn names_are_asked_of_the_platform(deployment: &Deployment) {
    let member = &deployment.guild().members[15];
    deployment.api().delete(&path(deployment, &member.chat)).await.ok();
    let lines = json!([
        { "chat_id": member.chat, "play_username": member.name.to_uppercase() },
        { "chat_id": OUTSIDER, "play_username": "nobody_has_this" },
        { "chat_id": OUTSIDER, "play_username": "not a name" },
    ]);
    let dry = import(deployment, json!({ "lines": lines, "dry_run": true })).await.ok();
    assert_eq!(results(&dry), ["linked", "unknown_player", "unknown_player"]);
    let line = &dry["lines"][0];
    assert_eq!((&line["play_id"], &line["play_username"]), (&json!(member.play), &json!(member.name)));
}

async fn files_of_other_bots_are_imported_by_the_command(deployment: &Deployment) {
    let import = async |name: &str, text: String| {
        std::fs::write(deployment.folder().join(name), text).unwrap();
        deployment.command(&["links", "import", name, "--guild", &deployment.guild().id]).await
    };
    let csv = format!("Discord ID;note;robloxId;Roblox Username\n{OUTSIDER};x;880003;late\n");
    let done = import("other-bot.csv", csv).await;
    assert!(done.stderr.contains("not used: note"), "{}", done.stderr);
    assert!(done.succeeded().contains("1 link: 1 new"));
    assert_eq!(link_of(deployment, OUTSIDER).await["play_id"], 880_003);
    let json = json!([{ "discordId": OUTSIDER, "robloxId": 880_004, "username": "later" }]).to_string();
    import("other-bot.json", json).await.succeeded();
    assert_eq!(link_of(deployment, OUTSIDER).await["play_id"], 880_004);
}
