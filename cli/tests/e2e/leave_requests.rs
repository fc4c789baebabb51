//! /guilds/:guildId/staff/leave-requests: asked for, then approved or rejected, once (docs/rules.md 6).

use serde_json::json;
use testkit::{Deployment, both_modes};

both_modes!(a_request_is_decided_once, what_is_asked_for_is_checked);

async fn a_request_is_decided_once(deployment: &Deployment) {
    let (guild, api) = (deployment.guild(), deployment.api().key(&deployment.guild().admin_key));
    let requests = format!("/guilds/{}/staff/leave-requests", guild.id);
    let ask = async |starts: &str, ends: &str| {
        let body = json!({ "staff_id": guild.members[2].chat, "starts_at": starts, "ends_at": ends, "reason": "exams" });
        api.post(&requests, body).await.ok()["id"].clone()
    };
    let leaves = async || {
        api.get(&format!("/guilds/{}/staff/loa", guild.id)).await.ok()["loas"].as_array().unwrap().len()
    };
    let before = leaves().await;
    let first = ask("2051-01-01T00:00:00Z", "2051-01-08T00:00:00Z").await;
    assert_eq!(leaves().await, before, "no leave begins before the approval");
    let approved = api.post(&format!("{requests}/{first}/approve"), json!({})).await.ok();
    assert_eq!((&approved["state"], leaves().await), (&json!("approved"), before + 1));
    for verb in ["approve", "reject"] {
        api.post(&format!("{requests}/{first}/{verb}"), json!({})).await.refused(409, &["approved"]);
    }
    let second = ask("2052-01-01T00:00:00Z", "2052-01-08T00:00:00Z").await;
    let rejected = api.post(&format!("{requests}/{second}/reject"), json!({})).await.ok();
    assert_eq!((&rejected["state"], leaves().await), (&json!("rejected"), before + 1));
    for action in ["loa.request", "loa.approve", "loa.reject"] {
        assert!(!deployment.audit(action).await.is_empty(), "{action}");
    }
}

async fn what_is_asked_for_is_checked(deployment: &Deployment) {
    let (guild, api) = (deployment.guild(), deployment.api().key(&deployment.guild().admin_key));
    let requests = format!("/guilds/{}/staff/leave-requests", guild.id);
    let ask = |staff: &str, ends: &str| json!({ "staff_id": staff, "starts_at": "2053-01-02T00:00:00Z", "ends_at": ends, "reason": "x" });
    let officer = &guild.members[2].chat;
    api.post(&requests, ask(officer, "2053-01-01T00:00:00Z")).await.refused(422, &["ends_at"]);
    api.post(&requests, ask("1999999999999999999", "2053-01-03T00:00:00Z")).await.refused(404, &[]);
    api.post(&requests, json!({ "staff_id": officer })).await.refused(400, &["starts_at"]);
    api.post(&format!("{requests}/987654321/approve"), json!({})).await.refused(404, &[]);
}
