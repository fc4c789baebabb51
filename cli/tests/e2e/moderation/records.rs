//! The staff action and the audit entry of a ban, written once for each idempotency key.

use serde_json::json;

use super::{Moderating, STRANGER};
use testkit::{Deployment, both_modes};

both_modes!(
    each_change_writes_an_action_and_an_audit_entry_of_the_moderator,
    a_repeated_request_bans_once,
    what_is_prolonged_or_restored_keeps_its_number,
    concurrent_bans_of_one_player_leave_one_in_force,
    many_at_once_of_one_person_who_was_free_for_a_moment,
    many_changes_at_once_have_each_their_own_outcome,
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

async fn what_is_prolonged_or_restored_keeps_its_number(deployment: &Deployment) {
    let (other, numbers) = ("930001", async || -> Vec<i64> {
        let bans = deployment.ban_history("").await;
        bans.iter().rev().map(|ban| ban["number"].as_i64().unwrap()).collect()
    });
    deployment.sanction("ban", STRANGER, json!({})).await.ok();
    deployment.sanction("ban", STRANGER, json!({ "duration_seconds": 3600 })).await.ok();
    deployment.sanction("ban", other, json!({})).await.ok();
    for person in [STRANGER, other] {
        deployment.sanction("unban", person, json!({})).await.ok();
    }
    // One of a single place is another ban.
    deployment.sanction("ban", other, json!({ "place_id": 11 })).await.ok();
    deployment.sanction("ban", STRANGER, json!({})).await.ok();
    deployment.sanction("ban", other, json!({})).await.ok();
    deployment.sanction("mute", other, json!({})).await.ok();
    assert_eq!(numbers().await, [1, 1, 2, 3, 1, 2]);
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

/// They share transactions, of at most 200 statements; the lift that they undo no longer counts.
async fn many_at_once_of_one_person_who_was_free_for_a_moment(deployment: &Deployment) {
    let (guild, mut callers) = (deployment.guild(), vec![deployment.api()]);
    for _ in 0..3 {
        callers.push(deployment.api().key(&deployment.new_key("moderation").await));
    }
    for (impose, lift) in [("ban", "unban"), ("mute", "unmute")] {
        let lifts = async || {
            let stats = deployment.api().get(&format!("/staff/stats/{}", guild.id)).await.ok();
            stats["by_type"][lift].as_i64().unwrap_or(0)
        };
        deployment.sanction(impose, STRANGER, json!({ "moderator_id": "0" })).await.ok();
        deployment.sanction(lift, STRANGER, json!({})).await.ok();
        assert_eq!(lifts().await, 1);
        let path = deployment.moderation(&format!("play/{impose}"));
        let asked = callers.iter().cycle().take(64).enumerate().map(|(n, api)| {
            let moderator = &guild.members[n % 2 + 1].chat;
            let body = json!({ "identifier": STRANGER, "reason": format!("{n}"), "moderator_id": moderator });
            api.post(&path, body)
        });
        for answer in futures_util::future::join_all(asked).await {
            answer.ok();
        }
        assert_eq!(lifts().await, 0, "{lift}");
    }
    assert_eq!(deployment.ban_history("active=true").await.len(), 1);
    let history = deployment.ban_history("limit=100").await;
    assert_eq!(history.iter().filter(|ban| ban["lifted_how"] == "superseded").count(), 63);
    assert!(history.iter().all(|ban| ban["number"] == history[0]["number"]), "{history:?}");
}

/// One guild's changes share transactions, and each has its own outcome.
async fn many_changes_at_once_have_each_their_own_outcome(deployment: &Deployment) {
    let member = &deployment.guild().members[3];
    let before: Vec<String> = (0..8).map(|n| format!("{}", 990_100 + n)).collect();
    for whom in &before {
        deployment.sanction("ban", whom, json!({})).await.ok();
    }
    let api = deployment.api();
    let mut asked = Vec::new();
    for n in 0..24 {
        let (verb, whom) = match n % 3 {
            0 => ("ban", format!("{}", 990_200 + n)),
            1 => ("mute", if n == 1 { member.chat.clone() } else { format!("{}", 990_200 + n) }),
            _ => ("unban", before[n / 3].clone()),
        };
        // Every fourth is sent twice under one key.
        for _ in 0..if n % 4 == 0 { 2 } else { 1 } {
            let api =
                if n % 4 == 0 { api.header("idempotency-key", &format!("many-{n}")) } else { api.clone() };
            let body = json!({ "identifier": whom, "reason": format!("{n}"), "moderator_id": deployment.moderator() });
            let path = deployment.moderation(&format!("play/{verb}"));
            asked.push(async move { (n, api.post(&path, body).await) });
        }
    }
    let mut done = std::collections::BTreeMap::new();
    for (n, answer) in futures_util::future::join_all(asked).await {
        if answer.status == 409 {
            // The first one still runs.
            assert_eq!((n % 4, answer.body["error"].as_str()), (0, Some("still_running")), "{answer}");
            continue;
        }
        let data = answer.ok();
        let lifted = data["lifted"].as_array().map(Vec::len);
        assert!(lifted.is_none_or(|lifted| lifted == 1), "{n}: {data}");
        let id = data.get("id").or(data["lifted"].get(0)).unwrap().clone();
        assert_eq!(done.insert(n, id.clone()).unwrap_or_else(|| id.clone()), id, "{n}: once for each key");
    }
    let ids: std::collections::BTreeSet<_> = done.values().map(ToString::to_string).collect();
    assert_eq!((done.len(), ids.len()), (24, 24), "{done:?}");
    for (verb, n) in [("ban", 16), ("mute", 8), ("unban", 8)] {
        let entries = deployment.audit(&format!("moderation.{verb}")).await;
        assert_eq!(entries.len(), n, "{verb}");
        let reasons: std::collections::BTreeSet<_> =
            entries.iter().map(|entry| entry["metadata"].to_string()).collect();
        assert_eq!(reasons.len(), n, "{verb}");
    }
    assert_eq!(deployment.ban_history("active=true").await.len(), 8);
    assert!(deployment.is_muted(&member.play.to_string()).await);
    let activity =
        deployment.api().get(&format!("/staff/activity/{}?limit=100", deployment.guild().id)).await.ok();
    assert_eq!(activity["actions"].as_array().unwrap().len(), 32);
}
