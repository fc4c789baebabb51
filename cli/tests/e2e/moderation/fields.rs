//! The fields of requests and answers, and their types (docs/rules.md 8).

use serde_json::{Value, json};

use super::{Moderating, STRANGER, STRANGER_CHAT};
use testkit::{Deployment, both_modes, in_turn};

both_modes!(a_ban_status_has_every_field, a_mute_status_has_every_field, each_path_has_its_rate_limit,);

in_turn!(identifiers_are_strings_or_integers, missing_and_invalid_fields_are_named(own),);

async fn a_ban_status_has_every_field(deployment: &Deployment) {
    let clear = deployment.api().get(&deployment.moderation(&format!("ban-status/{STRANGER}"))).await;
    assert!(!clear.message().is_empty(), "{clear}");
    assert_eq!(clear.ok(), json!({ "banned": false }));

    let answer =
        deployment.sanction("ban", STRANGER, json!({ "duration_seconds": 3600, "place_id": 99 })).await;
    assert!(!answer.message().is_empty(), "{answer}");
    let banned = answer.ok();
    assert_eq!(banned["banned"], true);
    let id = banned["id"].as_i64().unwrap();

    let status = deployment.api().get(&deployment.moderation(&format!("ban-status/{STRANGER}"))).await;
    assert!(!status.message().is_empty(), "{status}");
    let status = status.ok();
    assert_eq!(status["banned"], true);
    let info = &status["ban_info"];
    assert_eq!(info["id"], id);
    assert_eq!(info["reason"], format!("ban {STRANGER}"));
    assert_eq!(info["moderator_id"], deployment.moderator());
    assert_eq!((&info["identifier"], &info["place_id"]), (&json!(STRANGER), &json!(99)));
    assert!(info["created_at"].is_string() && info["expires_at"].is_string(), "{info}");

    // Null and absent mean a permanent ban of every game.
    for more in [json!({ "duration_seconds": null, "place_id": null }), json!({})] {
        deployment.ban(STRANGER_CHAT, more).await;
        let info = deployment.ban_status(STRANGER_CHAT).await["ban_info"].clone();
        assert_eq!((&info["expires_at"], &info["place_id"]), (&Value::Null, &Value::Null), "{info}");
    }
    let lifted = deployment.unban(STRANGER, json!({})).await;
    assert!(!lifted.message().is_empty(), "{lifted}");
    assert_eq!(lifted.ok()["unbanned"], true);
}

async fn a_mute_status_has_every_field(deployment: &Deployment) {
    let path = deployment.moderation(&format!("mute-status/{STRANGER}"));
    assert_eq!(deployment.api().get(&path).await.ok(), json!({ "muted": false }));
    let muted = deployment.sanction("mute", STRANGER, json!({ "duration_seconds": 60 })).await.ok();
    assert_eq!(muted["muted"], true);
    let status = deployment.api().get(&path).await.ok();
    assert_eq!(status["muted"], true);
    let info = &status["mute_info"];
    assert_eq!((&info["id"], &info["reason"]), (&muted["id"], &json!(format!("mute {STRANGER}"))));
    assert!(muted["id"].is_i64() && info["expires_at"].is_string(), "{info}");
    let lifted = deployment.sanction("unmute", STRANGER, json!({})).await;
    assert!(!lifted.message().is_empty(), "{lifted}");
    assert_eq!(lifted.ok()["unmuted"], true);
    assert!(!deployment.is_muted(STRANGER).await);
}

async fn identifiers_are_strings_or_integers(deployment: &Deployment) {
    let body = |identifier: Value| json!({ "identifier": identifier, "reason": "r", "moderator_id": "17" });
    let path = deployment.moderation("play/ban");
    deployment.api().post(&path, body(json!(555_002))).await.ok();
    assert!(deployment.is_banned("555002").await);
    // As a number it would be the id of another user where numbers are floats.
    let chat: u64 = STRANGER_CHAT.parse().unwrap();
    let refused = deployment.api().post(&path, body(json!(chat))).await;
    refused.refused(400, &["identifier", "sent as a string"]);
    deployment.api().post(&path, body(json!(STRANGER_CHAT))).await.ok();
    assert!(deployment.is_banned(STRANGER_CHAT).await);
    // 16 digits are a game id, 17 a chat id; answers have both as strings.
    for id in ["9999999999999999", "10000000000000000"] {
        deployment.api().post(&path, body(json!(id))).await.ok();
        assert_eq!(deployment.ban_status(id).await["ban_info"]["identifier"], id);
    }
    for bad in [json!("007"), json!(""), json!(0), json!(-5), json!(1.5), json!("12a"), json!(true)] {
        deployment.api().post(&path, body(bad)).await.refused(400, &["identifier"]);
    }
    for bad in ["abc", "007", "0", "-01", "9223372036854775808"] {
        for check in ["ban-status", "mute-status"] {
            let answer = deployment.api().get(&deployment.moderation(&format!("{check}/{bad}"))).await;
            answer.refused(400, &["identifier"]);
        }
    }
}

async fn missing_and_invalid_fields_are_named(deployment: &Deployment) {
    let whole = json!({ "identifier": "1", "reason": "r", "moderator_id": "17" });
    for verb in ["ban", "mute"] {
        for field in ["identifier", "reason", "moderator_id"] {
            let mut body = whole.clone();
            body.as_object_mut().unwrap().remove(field);
            deployment
                .api()
                .post(&deployment.moderation(&format!("play/{verb}")), body)
                .await
                .refused(400, &[field]);
        }
        for (field, bad) in [
            ("reason", json!("")),
            ("reason", json!("x".repeat(1_001))),
            ("moderator_id", json!(-1)),
            ("moderator_id", json!(812_345_678_901_234_567_i64)),
            ("moderator_id", json!("017")),
            ("duration_seconds", json!(0)),
            ("duration_seconds", json!(3_153_600_001_i64)),
            ("duration_seconds", json!("60")),
            ("place_id", json!(-1)),
            ("place_id", json!("x")),
        ] {
            let mut body = whole.clone();
            body[field] = bad;
            deployment
                .api()
                .post(&deployment.moderation(&format!("play/{verb}")), body)
                .await
                .refused(400, &[field]);
        }
        deployment.forget_quotas().await;
    }
    for verb in ["unban", "unmute"] {
        for field in ["identifier", "moderator_id"] {
            let mut body = whole.clone();
            body.as_object_mut().unwrap().remove(field);
            deployment
                .api()
                .post(&deployment.moderation(&format!("play/{verb}")), body)
                .await
                .refused(400, &[field]);
        }
    }
    let path = deployment.moderation("ban-status/1?place_id=x");
    deployment.api().get(&path).await.refused(400, &["place_id"]);
    assert!(!deployment.is_banned("1").await && !deployment.is_muted("1").await);
    deployment.ban("1", json!({ "duration_seconds": 3_153_600_000_i64 })).await;
}

async fn each_path_has_its_rate_limit(deployment: &Deployment) {
    let api = deployment.api();
    let mut buckets = Vec::new();
    for (path, limit) in [
        ("ban-status/1", 300),
        ("mute-status/1", 300),
        ("play/bans/active", 100),
        ("play/mutes/active", 100),
        ("bans", 100),
    ] {
        let answer = api.get(&deployment.moderation(path)).await;
        assert_eq!(answer.number("x-ratelimit-limit"), limit, "{answer}");
        buckets.push(answer.header("x-ratelimit-bucket").unwrap().to_owned());
    }
    assert_ne!(buckets[2], buckets[4]);
    assert_eq!(buckets[2], buckets[3]);
    assert_ne!(buckets[0], buckets[1]);
    for (used, verb) in (1..).zip(["ban", "unban", "mute", "unmute"]) {
        let answer = api.post(&deployment.moderation(&format!("play/{verb}")), json!({})).await;
        assert_eq!(answer.number("x-ratelimit-limit"), 50, "{answer}");
        assert_eq!(answer.number("x-ratelimit-remaining"), 50 - used, "{answer}");
    }
    let reader = deployment.new_key("read").await;
    let answer = api.key(&reader).post(&deployment.moderation("play/ban"), json!({})).await;
    answer.refused(403, &["moderation"]);
}
