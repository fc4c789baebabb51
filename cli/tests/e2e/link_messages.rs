//! What members are told about their links by direct message (docs/rules.md 11).

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use testkit::{Api, Deployment, Member, both_modes};

use crate::moderation::Moderating;

both_modes!(
    a_code_in_a_game_brings_the_guilds_message,
    a_guild_without_a_message_sends_none,
    staff_tell_what_they_decided,
);

const WELCOME: &str = "Welcome, @everyone!\nChoose your roles.";
/// The longest wait for the jobs of a change.
const WITHIN: Duration = Duration::from_secs(20);

async fn set(deployment: &Deployment, change: Value) {
    let path = format!("/guilds/{}/settings", deployment.guild().id);
    deployment.api().patch(&path, change).await.ok();
}

/// A member links themselves by a code in a game, which has this key; returns what came of it.
pub(crate) async fn link_by_code(deployment: &Deployment, game: &Api, member: &Member) -> Value {
    let at = format!("/guilds/{}/link-attempts", deployment.guild().id);
    let begun = deployment.api().post(&at, json!({ "chat_id": member.chat })).await.ok();
    let mut body = json!({ "code": begun["code"], "play_id": member.play, "play_username": member.name });
    game.post("/links/confirm", body.clone()).await.ok();
    body["confirm"] = json!(true);
    game.post("/links/confirm", body).await.ok()["ended"].clone()
}

/// The recipients and texts of all messages, the oldest first.
async fn told(deployment: &Deployment) -> Vec<(String, String)> {
    let rows = deployment.all_jobs_ended("direct_message", WITHIN).await;
    let text = |args: &Value, field: &str| args[field].as_str().unwrap().to_owned();
    rows.iter().map(|row| (text(&row.args, "to"), text(&row.args, "text"))).collect()
}

async fn a_code_in_a_game_brings_the_guilds_message(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let member = &guild.members[12];
    set(deployment, json!({ "link_message": WELCOME })).await;
    api.delete(&format!("/guilds/{}/links/{}", guild.id, member.chat)).await.ok();
    let ended = link_by_code(deployment, &api, member).await;
    assert_eq!(
        (&ended["attempt"]["outcome"], &ended["message"]),
        (&json!("linked"), &Value::Null),
        "{ended}"
    );
    let [(to, text)] = &told(deployment).await[..] else { panic!("not one message") };
    assert_eq!(to, &member.chat);
    assert!(text.contains(&member.name) && text.ends_with(WELCOME), "{text}");
    assert_eq!(&deployment.simulator.messages_to(&member.chat).await, std::slice::from_ref(text));
    let entries = deployment.audit("links.add").await;
    assert_eq!(entries[0]["target_id"], member.chat.as_str());
}

async fn a_guild_without_a_message_sends_none(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let member = &guild.members[13];
    let at = format!("/guilds/{}/links/{}", guild.id, member.chat);
    api.delete(&at).await.ok();
    link_by_code(deployment, &api, member).await;
    // Nor does a link by staff or a key, with one.
    set(deployment, json!({ "link_message": WELCOME })).await;
    api.delete(&at).await.ok();
    api.send(Method::PUT, &at, Some(json!({ "play_id": member.play }))).await.ok();
    assert_eq!(told(deployment).await, []);
}

async fn staff_tell_what_they_decided(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let member = &guild.members[18];
    // A ban that is mirrored ends the membership.
    set(deployment, json!({ "link_message": WELCOME, "mirror_bans": false })).await;
    api.delete(&format!("/guilds/{}/links/{}", guild.id, member.chat)).await.ok();
    deployment.ban(&member.play.to_string(), json!({})).await;
    for verb in ["reject", "approve"] {
        let held = link_by_code(deployment, &api, member).await;
        assert_eq!((&held["attempt"]["state"], &held["message"]), (&json!("held"), &Value::Null), "{held}");
        let id = held["attempt"]["id"].as_str().unwrap();
        api.post(&format!("/guilds/{}/link-attempts/{id}/{verb}", guild.id), json!({})).await.ok();
    }
    let [rejected, approved] = &told(deployment).await[..] else { panic!("not two messages") };
    assert!(rejected.0 == member.chat && approved.0 == member.chat);
    assert!(rejected.1.contains("rejected") && rejected.1.contains(&member.name), "{}", rejected.1);
    assert!(!rejected.1.contains(WELCOME), "{}", rejected.1);
    assert!(approved.1.contains("approved") && approved.1.ends_with(WELCOME), "{}", approved.1);
}
