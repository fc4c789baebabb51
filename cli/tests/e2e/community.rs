//! A guild with something in every table that belongs to it, for tests of what reads or erases all of them.

use std::time::SystemTime;

use chrono::{DateTime, Duration, Utc};
use serde_json::json;

use testkit::{Deployment, go_on_duty};

use crate::moderation::Moderating;

const WITHIN: std::time::Duration = std::time::Duration::from_secs(20);

/// What the deployment's second member has done, and what was done to them, among others.
pub(crate) async fn live(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let (member, other) = (&guild.members[1], &guild.members[2]);
    let now: DateTime<Utc> = SystemTime::now().into();
    let staff = |rest: &str| format!("/guilds/{}/staff/{rest}", guild.id);
    for (identifier, more) in [
        ("555", json!({ "reason": "ünïcode \u{1F600}", "place_id": 7 })),
        (guild.members[8].chat.as_str(), json!({ "duration_seconds": 90_000, "moderator_id": member.chat })),
        (guild.members[7].chat.as_str(), json!({ "moderator_id": other.chat })),
    ] {
        deployment.ban(identifier, more).await;
    }
    // One that has ended, and one in force.
    deployment.ban(&member.chat, json!({ "reason": "a mistake" })).await;
    deployment.unban(&member.chat, json!({})).await.ok();
    let note = json!({ "staff_id": member.chat, "body": "asked for a week off" });
    api.post(&staff("notes"), note).await.ok();
    let strike = json!({ "staff_id": member.chat, "reason": "late", "severity": 2 });
    api.post(&staff("strikes"), strike).await.ok();
    let day = |days| (now + Duration::days(days)).to_rfc3339();
    let leave = json!({ "staff_id": member.chat, "starts_at": day(0), "ends_at": day(3), "reason": "exams" });
    api.post(&staff("loa"), leave).await.ok();
    for n in 0..2 {
        let quota = json!({
            "name": format!("kicks {n}"), "metric": "kick", "target": 1, "period": "week", "requires_approval": n == 0
        });
        api.post(&staff("quota"), quota).await.ok();
    }
    let session = go_on_duty(&api, member).await;
    for (kind, target) in [("kick", "20000001"), ("warn", member.chat.as_str()), ("custom", "x")] {
        let details = json!({ "price": 1.5, "big": 9_007_199_254_740_991_i64 });
        let action =
            json!({ "session_id": session, "action_type": kind, "target_id": target, "details": details });
        api.post("/staff/play/action", action).await.ok();
    }
    api.post("/staff/play/session/end", json!({ "session_id": session })).await.ok();
    let game = json!({ "universe_id": 77, "place_id": 78, "name": "Obby" });
    api.post("/play/games/register", game).await.ok();
    for args in [
        &["panels", "add", "--id", "1", "--name", "Mod"][..],
        &["submissions", "add", "--panel", "1", "--applicant", &member.chat],
    ] {
        deployment.command(&[args, &["--guild", &guild.id]].concat()).await.succeeded();
    }
    let ticket = format!("/guilds/{}/application-submissions/1/create-ticket", guild.id);
    api.post(&ticket, json!({ "panel_id": 1 })).await.ok();
    let submission = |rest: &str| format!("/guilds/{}/application-submissions/1/{rest}", guild.id);
    api.post(&submission("comments"), json!({ "text": "known" })).await.ok();
    api.post(&submission("refuse"), json!({ "reason": "too young" })).await.ok();
    api.post("/interactions/sync", json!({ "user_id": member.chat })).await.ok();
    let entry = json!({ "action": "shop.buy", "target_id": member.chat, "metadata": { "prices": [1.0, 1e16, -0.0] } });
    api.post(&format!("/guilds/{}/audit-logs", guild.id), entry).await.ok();
    deployment.all_jobs_ended("mirror_ban", WITHIN).await;
}
