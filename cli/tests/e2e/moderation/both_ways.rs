//! Bans that others make and lift on the chat platform (docs/rules.md 4, `follow_bans`).

use reqwest::Method;
use serde_json::{Value, json};
use testkit::{Deployment, OUTSIDER, both_modes, eventually};

use super::Moderating;
use super::mirror::WITHIN;
use crate::gateway::{at_rest, connected, rejoin, right};

both_modes!(
    bans_made_and_lifted_there_are_made_and_lifted_here(crate::gateway::reading),
    the_end_of_such_a_ban_here_is_its_end_there(crate::gateway::reading),
    a_mirrored_ban_that_others_lift_there_ends_here(crate::gateway::reading),
    own_bans_lead_to_nothing_whatever_the_order_of_events(crate::gateway::reading),
    bans_that_no_event_told_of_are_found(crate::gateway::reading),
    without_the_setting_bans_there_lead_to_nothing(crate::gateway::reading)
);

const PUT: &str = "PUT /guilds/:guild/bans/:user";
const DELETE: &str = "DELETE /guilds/:guild/bans/:user";

/// A moderator of the chat platform, not of Guildhall.
const MODERATOR: &str = "288888888888888001";

async fn follow(deployment: &Deployment) {
    let path = format!("/guilds/{}/settings", deployment.guild().id);
    deployment.api().send(Method::PATCH, &path, Some(json!({ "follow_bans": true }))).await.ok();
    connected(deployment).await;
}

/// What a moderator does there.
async fn there(deployment: &Deployment, user: &str, what: Value) {
    let mut change = json!({ "guild_id": deployment.guild().id, "chat_id": user, "by": MODERATOR });
    change.as_object_mut().unwrap().extend(what.as_object().unwrap().clone());
    deployment.simulator.change_ban(change).await;
}

async fn ban_there(deployment: &Deployment, user: &str, reason: &str) {
    there(deployment, user, json!({ "reason": reason })).await;
}

async fn lift_there(deployment: &Deployment, user: &str) {
    there(deployment, user, json!({ "lift": true })).await;
}

async fn banned_here(deployment: &Deployment, identifier: &str, banned: bool) {
    eventually(&format!("banned here: {banned}"), WITHIN, async || {
        (deployment.is_banned(identifier).await == banned).then_some(())
    })
    .await;
}

async fn banned_there(deployment: &Deployment, user: &str, banned: bool) {
    eventually(&format!("banned there: {banned}"), WITHIN, async || {
        (deployment.simulator.is_banned(deployment.guild(), user).await == banned).then_some(())
    })
    .await;
}

/// A later event is handled, and what followed from the earlier ones is done.
async fn handled(deployment: &Deployment) {
    let (guild, other) = (deployment.guild(), &deployment.guild().members[1]);
    rejoin(deployment, guild, other).await;
    right(deployment, guild, other).await;
    at_rest(deployment, "").await;
}

async fn bans_made_and_lifted_there_are_made_and_lifted_here(deployment: &Deployment) {
    follow(deployment).await;
    let member = &deployment.guild().members[15];
    let beat = json!({ "server_id": "s1", "place_id": 5, "universe_id": 6, "player_count": 1 });
    deployment.api().post("/play/servers/heartbeat", beat).await.ok();
    ban_there(deployment, &member.chat, "raid").await;
    banned_here(deployment, &member.play.to_string(), true).await;
    let ban = deployment.ban_history("limit=1").await.remove(0);
    assert_eq!((&ban["reason"], &ban["moderator_id"]), (&json!("raid"), &json!(MODERATOR)), "{ban}");
    assert_eq!((&ban["mirror_state"], &ban["expires_at"]), (&json!("done"), &Value::Null), "{ban}");
    let entry = deployment.audit("moderation.ban").await.remove(0);
    assert_eq!(entry["actor_id"], MODERATOR);
    assert_eq!(entry["metadata"]["moderator"], "named_by_chat_platform", "{entry}");
    assert_eq!(entry["metadata"]["kicks"], 1, "the player is removed from the game: {entry}");
    lift_there(deployment, &member.chat).await;
    banned_here(deployment, &member.play.to_string(), false).await;
    let lifted = deployment.ban_history("limit=1").await.remove(0);
    assert_eq!((&lifted["id"], &lifted["lifted_by"]), (&ban["id"], &json!(MODERATOR)), "{lifted}");
    // One without a link, and without a reason.
    there(deployment, OUTSIDER, json!({})).await;
    banned_here(deployment, OUTSIDER, true).await;
    assert_eq!(deployment.ban_history("limit=1").await[0]["reason"], "Banned on Discord");
}

async fn the_end_of_such_a_ban_here_is_its_end_there(deployment: &Deployment) {
    follow(deployment).await;
    let member = &deployment.guild().members[15];
    ban_there(deployment, &member.chat, "raid").await;
    banned_here(deployment, &member.chat, true).await;
    deployment.unban(&member.play.to_string(), json!({})).await.ok();
    banned_there(deployment, &member.chat, false).await;
    handled(deployment).await;
    assert_eq!(deployment.ban_history("").await.len(), 1);
    assert!(!deployment.is_banned(&member.chat).await);
}

async fn a_mirrored_ban_that_others_lift_there_ends_here(deployment: &Deployment) {
    follow(deployment).await;
    let member = &deployment.guild().members[15];
    deployment.ban(&member.play.to_string(), json!({})).await;
    super::mirror::mirrored(deployment, "done").await;
    // One of another place stands for itself.
    deployment.ban(&member.play.to_string(), json!({ "place_id": 5 })).await;
    lift_there(deployment, &member.chat).await;
    eventually("the ban of every game is lifted", WITHIN, async || {
        (!deployment.is_banned_in(&member.play.to_string(), 6).await).then_some(())
    })
    .await;
    assert!(deployment.is_banned_in(&member.play.to_string(), 5).await);
    handled(deployment).await;
    assert!(!deployment.simulator.is_banned(deployment.guild(), &member.chat).await);
}

async fn own_bans_lead_to_nothing_whatever_the_order_of_events(deployment: &Deployment) {
    follow(deployment).await;
    let users: Vec<_> = deployment.guild().members[10..16].iter().map(|member| &member.chat).collect();
    deployment.simulator.change_stream(json!({ "double": 40, "reorder": 20 })).await;
    for user in &users {
        deployment.ban(user, json!({})).await;
    }
    for user in &users {
        banned_there(deployment, user, true).await;
    }
    // Half of them end here, of the others one there.
    for user in &users[..3] {
        deployment.unban(user, json!({})).await.ok();
        banned_there(deployment, user, false).await;
    }
    at_rest(deployment, "").await;
    lift_there(deployment, users[3]).await;
    banned_here(deployment, users[3], false).await;
    handled(deployment).await;
    for (index, user) in users.iter().enumerate() {
        assert_eq!(deployment.is_banned(user).await, index > 3, "user {index} here");
        assert_eq!(
            deployment.simulator.is_banned(deployment.guild(), user).await,
            index > 3,
            "user {index} there"
        );
    }
    assert_eq!(deployment.ban_history("").await.len(), users.len());
    let requests = deployment.simulator.stats().await["requests"].clone();
    assert_eq!((&requests[PUT]["204"], &requests[DELETE]["204"]), (&json!(6), &json!(3)), "{requests}");
}

async fn bans_that_no_event_told_of_are_found(deployment: &Deployment) {
    follow(deployment).await;
    let [made, lifted] = [15, 16].map(|index| &deployment.guild().members[index].chat);
    ban_there(deployment, lifted, "raid").await;
    banned_here(deployment, lifted, true).await;
    let simulator = &deployment.simulator;
    simulator.change_stream(json!({ "refuse": true, "invalidate": true })).await;
    ban_there(deployment, made, "spam").await;
    lift_there(deployment, lifted).await;
    simulator.change_stream(json!({ "refuse": false })).await;
    banned_here(deployment, made, true).await;
    banned_here(deployment, lifted, false).await;
}

async fn without_the_setting_bans_there_lead_to_nothing(deployment: &Deployment) {
    connected(deployment).await;
    let path = format!("/guilds/{}/settings", deployment.guild().id);
    let wrong = deployment.api().send(Method::PATCH, &path, Some(json!({ "follow_bans": "yes" }))).await;
    wrong.refused(400, &["follow_bans"]);
    let member = &deployment.guild().members[15];
    ban_there(deployment, &member.chat, "raid").await;
    handled(deployment).await;
    assert!(!deployment.is_banned(&member.chat).await);
    let jobs = at_rest(deployment, "").await;
    assert!(jobs.iter().all(|job| job["kind"] != "follow_ban"), "{jobs:?}");
}
