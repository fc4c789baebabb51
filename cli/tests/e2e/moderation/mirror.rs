//! The copy of bans on the chat platform (docs/rules.md 4).

use std::time::Duration;

use serde_json::{Value, json};

use super::{Moderating, STRANGER, STRANGER_CHAT};
use testkit::{Deployment, both_modes, eventually};

both_modes!(
    a_ban_and_its_end_reach_the_chat_platform(own),
    an_earlier_ban_of_the_platform_is_not_lifted(own),
    a_platform_ban_whose_answer_was_lost_is_lifted_by_the_unban,
    bans_of_one_place_or_without_the_setting_are_not_mirrored(own),
    a_ban_that_keeps_an_earlier_ones_platform_ban_lifts_it_at_its_end,
    a_ban_without_a_mirror_keeps_the_platform_ban_of_one_that_expires(own),
    a_refused_mirror_is_visible_and_retried,
    a_failed_mirror_is_visible_and_retried(own),
    a_mirror_whose_job_was_cancelled_is_made_anew,
    // It counts requests: without commands to register.
    an_unban_right_after_a_ban_lifts_the_platforms_ban(|setup| setup.env("GUILDHALL_CHAT_PUBLIC_KEY", "")),
    an_unknown_chat_user_is_named_in_the_mirror_error,
);

const BAN: &str = "PUT /guilds/:guild/bans/:user";
const UNBAN: &str = "DELETE /guilds/:guild/bans/:user";
pub(super) const WITHIN: Duration = Duration::from_secs(20);

/// The number of successful calls of the route.
async fn done(deployment: &Deployment, route: &str) -> u64 {
    deployment.simulator.stats().await["requests"][route]["204"].as_u64().unwrap_or(0)
}

/// Waits until the newest ban's mirror is in this state, and returns the ban.
pub(super) async fn mirrored(deployment: &Deployment, state: &str) -> Value {
    eventually(&format!("the mirror is {state}"), WITHIN, async || {
        deployment.ban_history("limit=1").await.pop().filter(|ban| ban["mirror_state"] == state)
    })
    .await
}

async fn a_ban_and_its_end_reach_the_chat_platform(deployment: &Deployment) {
    let member = &deployment.guild().members[15];
    // The ban names the game account; the linked chat user is banned on the platform.
    deployment.ban(&member.play.to_string(), json!({})).await;
    let ban = mirrored(deployment, "done").await;
    assert_eq!((&ban["mirror_chat_id"], &ban["mirror_error"]), (&json!(member.chat), &Value::Null));
    assert_eq!(deployment.simulator.stats().await["bans"], 1);
    deployment.unban(&member.chat, json!({})).await.ok();
    eventually("the platform's ban is lifted", WITHIN, async || {
        (done(deployment, UNBAN).await == 1).then_some(())
    })
    .await;
    // The job writes its entry as it ends, after the state of the ban.
    let entries = eventually("both jobs are in the audit log", WITHIN, async || {
        Some(deployment.audit("moderation.mirror").await).filter(|entries| entries.len() == 2)
    })
    .await;
    let banned: Vec<_> = entries.iter().map(|entry| entry["metadata"]["banned"].clone()).collect();
    assert_eq!(banned, [false, true]);
    assert_eq!(entries[0]["target_id"], member.chat.as_str());
    // The ban of a chat user without a link is mirrored too.
    deployment.ban(STRANGER_CHAT, json!({})).await;
    mirrored(deployment, "done").await;
}

/// A call to the chat platform as by a moderator of the chat guild.
pub(super) async fn by_hand(deployment: &Deployment, method: &str, user: &str) -> u16 {
    let url = format!("{}/guilds/{}/bans/{user}", deployment.simulator.base, deployment.guild().id);
    let request = testkit::http_client().request(method.parse().unwrap(), url);
    let request = request.header("authorization", "Bot test-token").header("x-audit-log-reason", "raid");
    request.json(&json!({})).send().await.unwrap().status().as_u16()
}

async fn an_earlier_ban_of_the_platform_is_not_lifted(deployment: &Deployment) {
    let member = &deployment.guild().members[23];
    assert_eq!(by_hand(deployment, "PUT", &member.chat).await, 204);
    deployment.ban(&member.chat, json!({})).await;
    mirrored(deployment, "already_banned").await;
    // A newer ban inherits the state.
    deployment.ban(&member.chat, json!({ "duration_seconds": 3600 })).await;
    mirrored(deployment, "already_banned").await;
    let entries = deployment.audit("moderation.mirror").await.len();
    deployment.unban(&member.chat, json!({})).await.ok();
    deployment.all_jobs_ended("mirror_ban", WITHIN).await;
    assert!(deployment.audit("moderation.mirror").await.len() > entries);
    mirrored(deployment, "already_banned").await;
    assert_eq!(by_hand(deployment, "GET", &member.chat).await, 200);
    assert_eq!(done(deployment, UNBAN).await, 0);
}

async fn a_platform_ban_whose_answer_was_lost_is_lifted_by_the_unban(deployment: &Deployment) {
    let member = &deployment.guild().members[24];
    deployment.fault(json!({ "route": BAN, "status": 502, "served": true, "count": 1 })).await;
    deployment.ban(&member.chat, json!({})).await;
    mirrored(deployment, "done").await;
    assert_eq!(by_hand(deployment, "GET", &member.chat).await, 200);
    deployment.unban(&member.chat, json!({})).await.ok();
    is_lifted(deployment, &member.chat).await;
}

async fn bans_of_one_place_or_without_the_setting_are_not_mirrored(deployment: &Deployment) {
    let (place, setting) = (&deployment.guild().members[16], &deployment.guild().members[17]);
    deployment.ban(&place.chat, json!({ "place_id": 3 })).await;
    deployment.ban(STRANGER, json!({})).await;
    let settings = format!("/guilds/{}/settings", deployment.guild().id);
    deployment.api().patch(&settings, json!({ "mirror_bans": false })).await.ok();
    deployment.ban(&setting.chat, json!({})).await;
    deployment.unban(&setting.chat, json!({})).await.ok();
    assert!(deployment.ban_history("").await.iter().all(|ban| ban["mirror_state"] == "none"));
    // A mirrored ban enqueued later ends after any job of the earlier bans.
    deployment.api().patch(&settings, json!({ "mirror_bans": true })).await.ok();
    deployment.ban(&deployment.guild().members[18].chat, json!({})).await;
    mirrored(deployment, "done").await;
    assert_eq!((done(deployment, BAN).await, done(deployment, UNBAN).await), (1, 0));
}

async fn is_lifted(deployment: &Deployment, user: &str) {
    eventually("the platform's ban is lifted", WITHIN, async || {
        (by_hand(deployment, "GET", user).await == 404).then_some(())
    })
    .await;
}

async fn a_ban_that_keeps_an_earlier_ones_platform_ban_lifts_it_at_its_end(deployment: &Deployment) {
    let member = &deployment.guild().members[22];
    deployment.ban(&member.chat, json!({})).await;
    mirrored(deployment, "done").await;
    let settings = format!("/guilds/{}/settings", deployment.guild().id);
    deployment.api().patch(&settings, json!({ "mirror_bans": false })).await.ok();
    deployment.ban(&member.chat, json!({ "duration_seconds": 3600 })).await;
    mirrored(deployment, "none").await;
    assert_eq!(by_hand(deployment, "GET", &member.chat).await, 200);
    deployment.unban(&member.chat, json!({})).await.ok();
    is_lifted(deployment, &member.chat).await;
    mirrored(deployment, "done").await;
}

async fn a_ban_without_a_mirror_keeps_the_platform_ban_of_one_that_expires(deployment: &Deployment) {
    // Of accounts that are linked only later: both stay in force.
    deployment.ban(STRANGER_CHAT, json!({ "duration_seconds": 6 })).await;
    mirrored(deployment, "done").await;
    deployment.ban(STRANGER, json!({})).await;
    let link = format!("chat_id,play_id,play_username\n{STRANGER_CHAT},{STRANGER},late\n");
    std::fs::write(deployment.folder().join("link.csv"), link).unwrap();
    let guild = &deployment.guild().id;
    deployment.command(&["links", "import", "link.csv", "--guild", guild]).await.succeeded();
    assert_eq!(by_hand(deployment, "GET", STRANGER_CHAT).await, 200);
    eventually("the timed ban is closed", WITHIN, async || {
        deployment.run_schedule("sanctions").await;
        deployment.audit("moderation.ban_expired").await.pop()
    })
    .await;
    eventually("its mirror has looked at the platform", WITHIN, async || {
        (deployment.audit("moderation.mirror").await.len() == 2).then_some(())
    })
    .await;
    assert_eq!(by_hand(deployment, "GET", STRANGER_CHAT).await, 200, "the other ban is in force");
    deployment.unban(STRANGER, json!({})).await.ok();
    is_lifted(deployment, STRANGER_CHAT).await;
}

async fn a_refused_mirror_is_visible_and_retried(deployment: &Deployment) {
    let member = &deployment.guild().members[19];
    deployment.fault(json!({ "route": BAN, "status": 403, "count": 2 })).await;
    deployment.ban(&member.chat, json!({})).await;
    let ban = mirrored(deployment, "failed").await;
    assert!(!ban["mirror_error"].as_str().unwrap().is_empty(), "{ban}");
    assert!(deployment.is_banned(&member.chat).await, "the ban itself is in force");
    let entries = deployment.audit("moderation.mirror_failed").await;
    assert_eq!(entries.len(), 1);
    assert_eq!(
        (&entries[0]["target_id"], &entries[0]["metadata"]["retried"]),
        (&json!(member.chat), &json!(true))
    );
    // The permission is granted, and the same ban is mirrored.
    mirrored(deployment, "done").await;
    assert_eq!(by_hand(deployment, "GET", &member.chat).await, 200);
}

async fn a_failed_mirror_is_visible_and_retried(deployment: &Deployment) {
    let member = &deployment.guild().members[20];
    deployment.fault(json!({ "route": BAN, "status": 500, "count": 1 })).await;
    deployment.ban(&member.chat, json!({})).await;
    let ban = mirrored(deployment, "done").await;
    assert_eq!(ban["mirror_error"], Value::Null, "{ban}");
    assert_eq!(deployment.simulator.stats().await["requests"][BAN], json!({ "204": 1, "500": 1 }));
    let entries = deployment.audit("moderation.mirror_failed").await;
    assert_eq!((entries.len(), &entries[0]["metadata"]["retried"]), (1, &json!(true)), "{entries:?}");
}

async fn an_unban_right_after_a_ban_lifts_the_platforms_ban(deployment: &Deployment) {
    let member = &deployment.guild().members[21];
    // The platform applies the ban after the unban has been requested.
    deployment.fault(json!({ "route": BAN, "hang_ms": 1500, "count": 1 })).await;
    // The worker checks its token once.
    let before = eventually("the token is checked", WITHIN, async || {
        let stats = deployment.simulator.stats().await;
        stats["requests"]["GET /users/@me"]["200"].as_u64()?;
        stats["chat_requests"].as_u64()
    })
    .await;
    deployment.ban(&member.chat, json!({})).await;
    eventually("the platform has the request", WITHIN, async || {
        (deployment.simulator.stats().await["chat_requests"].as_u64() == Some(before + 4)).then_some(())
    })
    .await;
    deployment.unban(&member.chat, json!({})).await.ok();
    mirrored(deployment, "done").await;
    deployment.all_jobs_ended("mirror_ban", WITHIN).await;
    assert_eq!((done(deployment, BAN).await, done(deployment, UNBAN).await), (1, 1));
}

async fn an_unknown_chat_user_is_named_in_the_mirror_error(deployment: &Deployment) {
    deployment.ban("1888888888888888888", json!({})).await;
    let ban = mirrored(deployment, "failed").await;
    let error = ban["mirror_error"].as_str().unwrap();
    assert!(error.contains("knows no user") && !error.contains("member"), "{ban}");
}

async fn a_mirror_whose_job_was_cancelled_is_made_anew(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    deployment.command(&["jobs", "pause", "--guild", &guild.id]).await.succeeded();
    let ban = deployment.ban(&guild.members[16].chat, json!({})).await;
    mirrored(deployment, "pending").await;
    let mirror = deployment.moderation(&format!("bans/{ban}/mirror"));
    api.post(&mirror, json!({})).await.refused(409, &["not held"]);
    let jobs = api.get(&format!("/guilds/{}/jobs?kind=mirror_ban", guild.id)).await.ok();
    api.delete(&format!("/jobs/{}", jobs["jobs"][0]["id"].as_str().unwrap())).await.ok();
    assert_eq!(mirrored(deployment, "failed").await["mirror_error"], "its job was cancelled");
    deployment.command(&["jobs", "resume", "--guild", &guild.id]).await.succeeded();
    api.post(&mirror, json!({})).await.ok();
    mirrored(deployment, "done").await;
}
