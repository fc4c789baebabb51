//! `guildhall games`: codes that a trusted key confirms prove for the whole instance (docs/rules.md 11).

use std::time::Duration;

use serde_json::{Value, json};

use testkit::console::Console;
use testkit::{Deployment, Guild, Member, both_modes, eventually, in_turn};

use crate::link_messages::link_by_code;
use crate::moderation::Moderating;

both_modes!(
    a_code_proves_for_all_guilds_if_its_key_is_trusted(own),
    a_proof_by_a_trusted_key_outlasts_the_decision_of_staff(own),
);

in_turn!(a_replacement_is_trusted_and_a_child_is_not, only_keys_that_confirm_codes_are_trusted);

/// The longest wait until all processes know that a key is trusted.
const WITHIN: Duration = Duration::from_secs(20);
const PROVEN: &str = "You have proven that";
/// Begins an attempt of somebody who has not proven anything.
const CODE: &str = "Get a code for a game";
const UNPROVEN: &str = "You have not proven a Roblox account yet";
const LINKED_THERE: &str = "in another server you prove your Roblox account first";

async fn unlink(deployment: &Deployment, member: &Member) {
    let at = format!("/guilds/{}/links/{}", deployment.guild().id, member.chat);
    deployment.api().delete(&at).await;
}

/// By the guild's game; returns what came of it.
async fn link(deployment: &Deployment, member: &Member) -> Value {
    unlink(deployment, member).await;
    link_by_code(deployment, &deployment.api().key(&deployment.guild().game_key), member).await
}

async fn begin(deployment: &Deployment, member: &Member) -> Value {
    let at = format!("/guilds/{}/link-attempts", deployment.guild().id);
    deployment.api().post(&at, json!({ "chat_id": member.chat })).await.ok()
}

/// Trusts the key of the guild's game, and waits until all processes know.
async fn trust(deployment: &Deployment) {
    let public_id = &deployment.guild().game_key[3..11];
    let said = deployment.command(&["games", "trust", public_id]).await.succeeded();
    assert!(said.contains("is trusted"), "{said}");
    let (witness, guild) = (&deployment.guild().members[29], deployment.guild());
    let console = Console::of(deployment, guild, &witness.chat).await;
    eventually("the key is trusted", WITHIN, async || {
        link(deployment, witness).await;
        console.get("/link").await.contains(PROVEN).then_some(())
    })
    .await;
}

/// What the page of a guild shows a member who begins to link.
async fn begin_in(
    deployment: &Deployment,
    guild: &Guild,
    member: &Member,
    button: &str,
) -> (Console, testkit::console::Page) {
    deployment.simulator.join(guild, &member.chat).await;
    let console = Console::of(deployment, guild, &member.chat).await;
    let page = console.get(&format!("/link/{}", guild.id)).await;
    let begun = console.press(&page, button, &[]).await;
    (console, begun)
}

async fn a_code_proves_for_all_guilds_if_its_key_is_trusted(deployment: &Deployment) {
    let (guild, other) = (deployment.guild(), deployment.other_guild());
    let member = &guild.members[16];
    let own = Console::of(deployment, guild, &member.chat).await;
    assert_eq!(link(deployment, member).await["attempt"]["outcome"], "linked");
    own.get("/link").await.shows(200, LINKED_THERE);
    let (there, begun) = begin_in(deployment, other, member, CODE).await;
    begun.shows(200, "Do one of these");
    there.press(&begun, "Cancel", &[]).await;

    trust(deployment).await;
    own.get("/link").await.shows(200, LINKED_THERE);
    link(deployment, member).await;
    own.get("/link").await.shows(200, PROVEN);
    let (there, agree) = begin_in(deployment, other, member, &format!("Use {}", member.name)).await;
    agree.shows(200, &member.name);
    there.press(&agree, "Link these accounts", &[]).await.shows(200, "has known your Roblox account");

    let (owner, public_id) = (Console::owner(deployment).await, &guild.game_key[3..11]);
    owner.get(&format!("/console/guilds/{}/keys", guild.id)).await.shows(200, "trusted");
    deployment.command(&["games", "untrust", public_id]).await.succeeded();
    let entries = deployment.audit("games.untrust").await;
    assert_eq!((&entries[0]["target_id"], entries.len()), (&json!(public_id), 1));
    assert_eq!(deployment.audit("games.trust").await.len(), 1);
    own.get("/link").await.shows(200, PROVEN);
}

async fn a_proof_by_a_trusted_key_outlasts_the_decision_of_staff(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let member = &guild.members[17];
    trust(deployment).await;
    // A ban that is mirrored ends the membership.
    let settings = format!("/guilds/{}/settings", guild.id);
    api.patch(&settings, json!({ "mirror_bans": false })).await.ok();
    deployment.ban(&member.play.to_string(), json!({})).await;
    let held = link(deployment, member).await;
    assert_eq!(held["attempt"]["state"], "held", "{held}");
    let console = Console::of(deployment, guild, &member.chat).await;
    console.get("/link").await.shows(200, UNPROVEN);
    let at = format!("/guilds/{}/link-attempts/{}", guild.id, held["attempt"]["id"].as_str().unwrap());
    api.post(&format!("{at}/approve"), json!({})).await.ok();
    console.get("/link").await.shows(200, PROVEN);
    // What is known by a code is no answer to another code: the player is asked.
    unlink(deployment, member).await;
    let page = console.get(&format!("/link/{}", guild.id)).await;
    console.press(&page, &format!("Use {}", member.name), &[]).await.shows(200, "Link these accounts");
    let begun = begin(deployment, member).await;
    let mut body = json!({ "code": begun["code"], "play_id": member.play, "play_username": member.name });
    body["confirm"] = json!(true);
    assert_eq!(api.post("/links/confirm", body).await.ok()["ended"], Value::Null);
}

async fn listed(deployment: &Deployment, public_id: &str) -> Value {
    let json = deployment.command(&["games", "list", "--json"]).await.succeeded();
    let games: Vec<Value> = serde_json::from_str(&json).unwrap();
    games.into_iter().find(|game| game["public_id"] == public_id).unwrap_or_default()
}

async fn a_replacement_is_trusted_and_a_child_is_not(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let old = &deployment.new_key("play,admin").await[3..11].to_owned();
    assert_eq!(listed(deployment, old).await["trusted"], false);
    deployment.command(&["games", "trust", old]).await.succeeded();
    let again = deployment.command(&["games", "trust", old]).await.succeeded();
    assert!(again.contains("already"), "{again}");
    assert_eq!(listed(deployment, old).await["trusted"], true);
    let new = deployment.command(&["keys", "rotate", old]).await.succeeded().trim().to_owned();
    assert_eq!(listed(deployment, &new[3..11]).await["trusted"], true);
    let keys = format!("/guilds/{}/keys", guild.id);
    let made = api.key(&new).post(&keys, json!({ "name": "child", "scopes": ["play"] })).await.ok();
    assert_eq!(listed(deployment, made["public_id"].as_str().unwrap()).await["trusted"], false);
    // Its text would make the caller as much as it is.
    let at = format!("{keys}/{}/rotate", &new[3..11]);
    let refused = api.post(&at, json!({})).await.refused(403, &["trusted"]);
    assert_eq!(refused.error(), "key_beyond_caller");
    let own = api.key(&new).post(&at, json!({})).await.ok();
    assert_eq!(listed(deployment, own["public_id"].as_str().unwrap()).await["trusted"], true);
}

async fn only_keys_that_confirm_codes_are_trusted(deployment: &Deployment) {
    let key = deployment.new_key("read").await;
    let refused = deployment.command(&["games", "trust", &key[3..11]]).await.refused();
    assert!(refused.contains("scope `play`"), "{refused}");
    assert_eq!(listed(deployment, &key[3..11]).await, Value::Null);
    let revoked = deployment.new_key("play").await;
    deployment.command(&["keys", "revoke", &revoked[3..11]]).await.succeeded();
    deployment.command(&["games", "trust", &revoked[3..11]]).await.refused();
    let refused = deployment.command(&["games", "trust", &revoked]).await.refused();
    assert!(refused.contains("public id") && !refused.contains(&revoked[12..]), "{refused}");
    let unknown = deployment.command(&["games", "untrust", "k3y8ab1c"]).await.refused();
    assert!(unknown.contains("there is no key"), "{unknown}");
}
