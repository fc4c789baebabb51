//! The end of bans and mutes by time (docs/rules.md 4).

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::{Moderating, STRANGER};
use testkit::{Deployment, both_modes};

both_modes!(
    a_ban_ends_at_its_time_without_a_sweep,
    a_ban_of_one_second_lasts_at_least_one_second,
    a_superseded_bans_expiry_does_not_end_the_newer_ban,
    the_sweep_closes_expired_bans_and_mutes(own),
);

const SWEPT_WITHIN: Duration = Duration::from_secs(30);

fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap()
}

/// A time of an answer, as the time since 1970.
fn end(time: &Value) -> Duration {
    let at = chrono::DateTime::parse_from_rfc3339(time.as_str().unwrap()).unwrap().timestamp();
    Duration::from_secs(u64::try_from(at).unwrap())
}

async fn sleep_until(time: &Value) {
    // One millisecond more, for rounding.
    tokio::time::sleep(end(time).saturating_sub(now()) + Duration::from_millis(1)).await;
}

async fn a_ban_ends_at_its_time_without_a_sweep(deployment: &Deployment) {
    let banned = deployment.sanction("ban", STRANGER, json!({ "duration_seconds": 3 })).await.ok();
    deployment.sanction("mute", STRANGER, json!({ "duration_seconds": 3 })).await.ok();
    let status = deployment.ban_status(STRANGER).await;
    assert_eq!(status["ban_info"]["expires_at"], banned["expires_at"], "{status}");
    assert!(deployment.is_muted(STRANGER).await);
    sleep_until(&banned["expires_at"]).await;
    assert!(!deployment.is_banned(STRANGER).await);
    let list = deployment.api().get(&deployment.moderation("play/bans/active")).await.ok();
    assert_eq!(list["bans"], json!([]));
    let history = deployment.ban_history("").await;
    assert_eq!((&history[0]["id"], &history[0]["active"]), (&banned["id"], &json!(false)));
    assert!(deployment.unban(STRANGER, json!({})).await.message().contains("no active ban"));
    deployment.ban(STRANGER, json!({})).await;
    assert!(deployment.is_banned(STRANGER).await);
}

/// Ends are whole seconds, so a ban made late in a second is extended to the next one.
async fn a_ban_of_one_second_lasts_at_least_one_second(deployment: &Deployment) {
    for (verb, status) in [("ban", "ban-status"), ("mute", "mute-status")] {
        let fraction = now().subsec_millis();
        let until = if fraction < 950 { 950 - fraction } else { 1_950 - fraction };
        tokio::time::sleep(Duration::from_millis(until.into())).await;
        let before = now();
        let made = deployment.sanction(verb, STRANGER, json!({ "duration_seconds": 1 })).await.ok();
        let ends = end(&made["expires_at"]);
        assert!(ends >= before + Duration::from_secs(1), "made at {before:?}: {made}");
        let seen = deployment.api().get(&deployment.moderation(&format!("{status}/{STRANGER}"))).await;
        if now() < ends {
            assert_ne!(seen.ok()[format!("{verb}_info")], Value::Null);
        }
    }
}

async fn a_superseded_bans_expiry_does_not_end_the_newer_ban(deployment: &Deployment) {
    let short = deployment.sanction("ban", STRANGER, json!({ "duration_seconds": 2 })).await.ok();
    let permanent = deployment.ban(STRANGER, json!({})).await;
    let longer = deployment.sanction("ban", "555009", json!({})).await.ok()["id"].clone();
    let shorter = deployment.sanction("ban", "555009", json!({ "duration_seconds": 2 })).await.ok();
    sleep_until(&shorter["expires_at"]).await;
    assert_eq!(deployment.ban_status(STRANGER).await["ban_info"]["id"], permanent);
    assert!(!deployment.is_banned("555009").await, "the newer ban's expiry counts");
    let history = deployment.ban_history("").await;
    let how = |id: &Value| history.iter().find(|ban| ban["id"] == *id).unwrap()["lifted_how"].clone();
    assert_eq!((how(&short["id"]), how(&longer)), (json!("superseded"), json!("superseded")));
    let list = deployment.api().get(&deployment.moderation("play/bans/active")).await.ok();
    assert_eq!(list["bans"].as_array().unwrap().len(), 1, "{list}");
}

async fn the_sweep_closes_expired_bans_and_mutes(deployment: &Deployment) {
    let member = &deployment.guild().members[12];
    let ban = deployment.ban(&member.chat, json!({ "duration_seconds": 1 })).await;
    let mute = deployment.sanction("mute", STRANGER, json!({ "duration_seconds": 1 })).await.ok();
    sleep_until(&mute["expires_at"]).await;
    deployment.run_schedule("sanctions").await;
    let deadline = now() + SWEPT_WITHIN;
    loop {
        let bans = deployment.audit("moderation.ban_expired").await;
        let mutes = deployment.audit("moderation.mute_expired").await;
        if bans.len() + mutes.len() == 2 {
            assert_eq!(
                (&bans[0]["metadata"]["id"], &bans[0]["target_id"]),
                (&json!(ban), &json!(member.chat))
            );
            assert_eq!(bans[0]["actor_id"], "0");
            assert_eq!(mutes[0]["metadata"]["id"], mute["id"]);
            break;
        }
        assert!(now() < deadline, "not swept: {bans:?} {mutes:?}");
        // Each round uses two calls of the audit log's rate limit.
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    let history = deployment.ban_history("").await;
    assert_eq!(history[0]["lifted_how"], "expired");
    // The expiry lifts the platform's ban too.
    let route = "DELETE /guilds/:guild/bans/:user";
    testkit::eventually("the mirror is lifted", Duration::from_secs(10), async || {
        (deployment.simulator.stats().await["requests"][route]["204"] == 1).then_some(())
    })
    .await;
}
