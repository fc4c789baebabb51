//! The staff action and the audit entry of a ban, written once for each idempotency key.

use serde_json::json;

use super::{Moderating, STRANGER};
use testkit::{Deployment, both_modes};

both_modes!(
    each_change_writes_an_action_and_an_audit_entry_of_the_moderator,
    a_repeated_request_bans_once,
    concurrent_bans_of_one_player_leave_one_in_force,
);

async fn each_change_writes_an_action_and_an_audit_entry_of_the_moderator(deployment: &Deployment) {
    for verb in ["ban", "unban", "mute", "unmute"] {
        deployment.sanction(verb, STRANGER, json!({})).await.ok();
        let entries = deployment.audit(&format!("moderation.{verb}")).await;
        assert_eq!(entries.len(), 1, "{entries:?}");
        assert_eq!(entries[0]["actor_id"], deployment.moderator());
        assert_eq!(entries[0]["target_id"], STRANGER);
        assert!(entries[0]["key_id"].is_i64(), "{entries:?}");
    }
    let activity = deployment.api().get(&format!("/staff/activity/{}", deployment.guild().id)).await.ok();
    let actions: Vec<_> = activity["actions"].as_array().unwrap().iter().collect();
    let kinds: Vec<_> = actions.iter().map(|action| action["action_type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["unmute", "mute", "unban", "ban"]);
    for action in actions {
        assert_eq!(
            (&action["staff_id"], &action["target_id"]),
            (&json!(deployment.moderator()), &json!(STRANGER))
        );
    }
}

async fn a_repeated_request_bans_once(deployment: &Deployment) {
    let body = json!({ "identifier": STRANGER, "reason": "r", "moderator_id": deployment.moderator() });
    let api = deployment.api().header("idempotency-key", "ban-1");
    let first = api.post(&deployment.moderation("play/ban"), body.clone()).await;
    let again = api.post(&deployment.moderation("play/ban"), body).await;
    assert_eq!(again.header("idempotent-replayed"), Some("true"), "{again}");
    assert_eq!(first.ok(), again.ok());
    assert_eq!(deployment.ban_history("").await.len(), 1);
    // The answer of an unban that lifted no ban is replayed too.
    let body = json!({ "identifier": "1", "moderator_id": deployment.moderator() });
    let api = deployment.api().header("idempotency-key", "unban-1");
    let first = api.post(&deployment.moderation("play/unban"), body.clone()).await;
    let again = api.post(&deployment.moderation("play/unban"), body).await;
    assert_eq!(again.header("idempotent-replayed"), Some("true"), "{again}");
    assert_eq!(first.body, again.body);
}

async fn concurrent_bans_of_one_player_leave_one_in_force(deployment: &Deployment) {
    let bans = (0..8).map(|n| deployment.sanction("ban", STRANGER, json!({ "reason": format!("{n}") })));
    for answer in futures_util::future::join_all(bans).await {
        answer.ok();
    }
    assert_eq!(deployment.ban_history("active=true").await.len(), 1);
    let history = deployment.ban_history("").await;
    assert_eq!(history.iter().filter(|ban| ban["lifted_how"] == "superseded").count(), 7);
    deployment.unban(STRANGER, json!({})).await.ok();
    assert!(!deployment.is_banned(STRANGER).await);
}
