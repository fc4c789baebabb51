//! `/guilds/:guildId/links` (docs/rules.md 11): linking, moving, unlinking, and what follows on the chat platform.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use testkit::{Answer, Deployment, Member, both_modes, eventually, in_turn};

use crate::moderation::Moderating;

both_modes!(
    a_link_brings_roles_and_nickname_and_its_end_takes_them,
    a_game_account_moves_with_what_it_gave,
    a_command_takes_what_the_link_gave,
    whoever_is_linked_again_keeps_what_the_new_link_gives,
    bans_stay_with_the_account_that_they_name,
);

in_turn!(
    a_link_in_the_way_is_a_conflict,
    a_repeated_link_changes_nothing,
    links_are_listed_in_pages,
    players_that_nobody_knows_are_not_linked,
    only_keys_for_links_may_link,
);

/// The longest wait for the jobs of a change.
const WITHIN: Duration = Duration::from_secs(20);

fn path(deployment: &Deployment, chat: &str) -> String {
    format!("/guilds/{}/links/{chat}", deployment.guild().id)
}

async fn put(deployment: &Deployment, chat: &str, body: Value) -> Answer {
    deployment.api().send(Method::PUT, &path(deployment, chat), Some(body)).await
}

/// Has no role of a binding, and no nickname.
async fn is_bare(deployment: &Deployment, member: &Member) {
    eventually("roles and nickname are gone", WITHIN, async || {
        let found = deployment.simulator.member(deployment.guild(), &member.chat).await;
        (found["roles"] == json!([]) && found["nick"].is_null()).then_some(())
    })
    .await;
}

async fn is_right(deployment: &Deployment, member: &Member) {
    eventually("roles and nickname are right", WITHIN, async || {
        deployment.simulator.is_right(deployment.guild(), member).await.then_some(())
    })
    .await;
}

async fn a_link_brings_roles_and_nickname_and_its_end_takes_them(deployment: &Deployment) {
    let (api, member) = (deployment.api(), deployment.guild().right());
    let at = path(deployment, &member.chat);
    let before = api.get(&at).await.ok();
    assert_eq!((&before["link"]["source"], &before["history"]), (&json!("import"), &json!([])));

    let gone = api.delete(&at).await.ok();
    assert_eq!(gone["link"]["play_id"], member.play);
    is_bare(deployment, member).await;
    api.get(&format!("/lookup/play/{}", member.play)).await.refused(404, &[]);
    let after = api.get(&at).await.ok();
    assert_eq!(after["link"], Value::Null);
    assert_eq!(after["history"][0]["play_username"], member.name.as_str());
    assert_eq!(after["history"][0]["replaced"], false);
    api.delete(&at).await.refused(404, &["not linked"]);

    let made = put(deployment, &member.chat, json!({ "play_id": member.play })).await.ok();
    assert_eq!(made["link"]["source"], "api");
    assert_eq!(made["link"]["play_username"], member.name.as_str(), "by the game platform");
    assert_eq!(made["ended"], json!([]));
    is_right(deployment, member).await;
    let record = api.get(&format!("/lookup/chat/{}", member.chat)).await.ok();
    assert_eq!(record["verified_at"], made["link"]["verified_at"]);
    let audit = deployment.audit("links.add").await;
    assert_eq!(audit[0]["target_id"], member.chat.as_str());
    assert_eq!(audit[0]["metadata"]["after"]["play_id"], member.play);
}

async fn a_link_in_the_way_is_a_conflict(deployment: &Deployment) {
    let [first, second, ..] = &deployment.guild().members[10..] else { unreachable!() };
    let refused = put(deployment, &first.chat, json!({ "play_id": second.play })).await;
    let refused = refused.refused(409, &[&second.chat, "replace"]);
    assert_eq!(refused.error(), "play_linked");
    let refused =
        put(deployment, &first.chat, json!({ "play_id": 987_654_321, "play_username": "free" })).await;
    assert_eq!(refused.refused(409, &[&first.play.to_string(), "replace"]).error(), "chat_linked");
    let unchanged = deployment.api().get(&path(deployment, &first.chat)).await.ok();
    assert_eq!((&unchanged["link"]["play_id"], &unchanged["history"]), (&json!(first.play), &json!([])));
}

async fn a_game_account_moves_with_what_it_gave(deployment: &Deployment) {
    let guild = deployment.guild();
    let mut right = guild.members.iter().filter(|member| !member.needs_change());
    let (from, to) = (right.next().unwrap(), right.next().unwrap());
    let body = json!({ "play_id": from.play, "replace": true });
    let moved = put(deployment, &to.chat, body).await.ok();
    let ended: Vec<_> = moved["ended"].as_array().unwrap().iter().map(|link| &link["chat_id"]).collect();
    assert_eq!(ended, [&json!(to.chat), &json!(from.chat)]);
    is_bare(deployment, from).await;
    eventually("the other one has its roles", WITHIN, async || {
        let found = deployment.simulator.member(guild, &to.chat).await;
        (found["roles"] == json!([from.wanted]) && found["nick"] == from.name.as_str()).then_some(())
    })
    .await;
    let api = deployment.api();
    let history = api.get(&path(deployment, &to.chat)).await.ok()["history"].clone();
    assert_eq!(history.as_array().unwrap().len(), 2, "its own and that of the game account: {history}");
    api.get(&format!("/lookup/chat/{}", from.chat)).await.refused(404, &[]);
    api.get(&format!("/lookup/play/{}", to.play)).await.refused(404, &[]);
    let removed = &deployment.audit("links.remove").await[0];
    assert_eq!(
        (&removed["target_id"], &removed["metadata"]["moved_to"]),
        (&json!(from.chat), &json!(to.chat))
    );
}

async fn a_command_takes_what_the_link_gave(deployment: &Deployment) {
    let member = deployment.guild().right();
    let args = ["links", "remove", "--guild", &deployment.guild().id, "--chat", &member.chat];
    deployment.command(&args).await.succeeded();
    is_bare(deployment, member).await;
}

async fn whoever_is_linked_again_keeps_what_the_new_link_gives(deployment: &Deployment) {
    let member = deployment.guild().right();
    for _ in 0..5 {
        deployment.api().delete(&path(deployment, &member.chat)).await.ok();
        put(deployment, &member.chat, json!({ "play_id": member.play })).await.ok();
    }
    let jobs = format!("/guilds/{}/jobs?limit=50", deployment.guild().id);
    eventually("all jobs have ended", WITHIN, async || {
        let jobs = deployment.api().get(&jobs).await.ok()["jobs"].clone();
        // A sync whose link has ended fails.
        let ended = |job: &Value| job["state"] == "succeeded" || job["state"] == "failed";
        jobs.as_array().unwrap().iter().all(ended).then_some(())
    })
    .await;
    assert!(deployment.simulator.is_right(deployment.guild(), member).await);
}

async fn bans_stay_with_the_account_that_they_name(deployment: &Deployment) {
    let member = &deployment.guild().members[12];
    let play = member.play.to_string();
    deployment.ban(&play, json!({})).await;
    assert!(deployment.is_banned(&member.chat).await);
    deployment.api().delete(&path(deployment, &member.chat)).await.ok();
    assert!(deployment.is_banned(&play).await && !deployment.is_banned(&member.chat).await);
    put(deployment, &member.chat, json!({ "play_id": member.play })).await.ok();
    assert!(deployment.is_banned(&member.chat).await);
}

async fn a_repeated_link_changes_nothing(deployment: &Deployment) {
    let member = deployment.guild().right();
    let body = json!({ "play_id": member.play, "play_username": member.name });
    let again = put(deployment, &member.chat, body).await.ok();
    assert_eq!((&again["job_id"], &again["link"]["source"]), (&Value::Null, &json!("import")));
    assert_eq!(deployment.audit("links.add").await, Vec::<Value>::new());
}

async fn links_are_listed_in_pages(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let list = format!("/guilds/{}/links", guild.id);
    let first = api.get(&format!("{list}?limit=20")).await.ok();
    let cursor = first["next_cursor"].as_str().unwrap();
    let second = api.get(&format!("{list}?limit=20&cursor={cursor}")).await.ok();
    let listed = first["links"].as_array().unwrap().iter().chain(second["links"].as_array().unwrap());
    let chats: Vec<_> = listed.map(|link| link["chat_id"].as_str().unwrap()).collect();
    assert_eq!(chats, guild.members.iter().map(|member| &*member.chat).collect::<Vec<_>>());
    assert_eq!(second["next_cursor"], Value::Null);
}

async fn players_that_nobody_knows_are_not_linked(deployment: &Deployment) {
    let refused = put(deployment, testkit::OUTSIDER, json!({ "play_id": 987_654_321 })).await;
    assert_eq!(refused.refused(404, &["play_id"]).error(), "unknown_player");
    put(deployment, testkit::OUTSIDER, json!({ "play_id": -1 })).await.refused(400, &["`play_id`"]);
    put(deployment, testkit::OUTSIDER, json!({})).await.refused(400, &["`play_id` is missing"]);
    put(deployment, "x", json!({ "play_id": 1 })).await.refused(400, &["`chatId`"]);
}

async fn only_keys_for_links_may_link(deployment: &Deployment) {
    let member = &deployment.guild().members[3];
    let default = deployment.api().key(&deployment.guild().game_key);
    default.get(&path(deployment, &member.chat)).await.refused(403, &["links"]);
    default.delete(&path(deployment, &member.chat)).await.refused(403, &["links"]);
    let links = deployment.new_key("links").await;
    deployment.api().key(&links).get(&path(deployment, &member.chat)).await.ok();
}
