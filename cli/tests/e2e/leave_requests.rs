//! /guilds/:guildId/staff/leave-requests: asked for, then approved or rejected, once (docs/rules.md 6).

use serde_json::json;
use testkit::{Deployment, both_modes, in_turn};

both_modes!(
    a_request_is_decided_once,
    an_approval_may_name_other_times,
    a_withdrawn_request_is_not_decided,
    an_open_request_is_changed,
);

in_turn!(what_is_asked_for_is_checked,);

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

/// Asks for the first ten days of a year; returns the request's path.
async fn ask(deployment: &Deployment, year: u32) -> String {
    let guild = deployment.guild();
    let (requests, days) = (format!("/guilds/{}/staff/leave-requests", guild.id), ["01-01", "01-11"]);
    let [starts, ends] = days.map(|day| format!("{year}-{day}T00:00:00Z"));
    let body =
        json!({ "staff_id": guild.members[3].chat, "starts_at": starts, "ends_at": ends, "reason": "exams" });
    let added = deployment.api().key(&guild.admin_key).post(&requests, body).await.ok();
    format!("{requests}/{}", added["id"])
}

async fn an_approval_may_name_other_times(deployment: &Deployment) {
    let (guild, api) = (deployment.guild(), deployment.api().key(&deployment.guild().admin_key));
    let request = ask(deployment, 2061).await;
    let approve = format!("{request}/approve");
    let backwards = json!({ "ends_at": "2060-12-31T00:00:00Z" });
    api.post(&approve, backwards).await.refused(422, &["ends_at"]);
    api.post(&approve, json!({ "starts_at": "soon" })).await.refused(400, &["starts_at"]);
    let approved = api.post(&approve, json!({ "ends_at": "2061-01-05T00:00:00Z" })).await.ok();
    let times = |row: &serde_json::Value| (row["starts_at"].clone(), row["ends_at"].clone());
    let expected = (json!("2061-01-01T00:00:00Z"), json!("2061-01-05T00:00:00Z"));
    assert_eq!(times(&approved), expected);
    let loas = api.get(&format!("/guilds/{}/staff/loa", guild.id)).await.ok();
    let leave = loas["loas"].as_array().unwrap().iter().find(|leave| leave["id"] == approved["loa_id"]);
    assert_eq!(times(leave.unwrap()), expected);
    let entry = &deployment.audit("loa.approve").await[0]["metadata"];
    assert_eq!(entry["before"]["ends_at"], "2061-01-11T00:00:00Z", "{entry}");
    assert_eq!(entry["after"]["ends_at"], "2061-01-05T00:00:00Z", "{entry}");
}

async fn a_withdrawn_request_is_not_decided(deployment: &Deployment) {
    let (guild, api) = (deployment.guild(), deployment.api().key(&deployment.guild().admin_key));
    let request = ask(deployment, 2062).await;
    let withdrawn = api.post(&format!("{request}/withdraw"), json!({})).await.ok();
    assert_eq!((&withdrawn["state"], &withdrawn["loa_id"]), (&json!("withdrawn"), &json!(null)));
    for verb in ["approve", "reject", "withdraw"] {
        let refused = api.post(&format!("{request}/{verb}"), json!({})).await.refused(409, &["withdrawn"]);
        assert_eq!(refused.error(), "already_withdrawn");
    }
    let listed = api.get(&format!("/guilds/{}/staff/leave-requests?state=withdrawn", guild.id)).await.ok();
    assert_eq!(listed["requests"][0]["id"], withdrawn["id"]);
    let entry = &deployment.audit("loa.withdraw").await[0];
    assert_eq!(
        (&entry["target_id"], &entry["metadata"]["before"]["state"]),
        (&json!(withdrawn["id"].to_string()), &json!("requested"))
    );
    let decided = ask(deployment, 2063).await;
    api.post(&format!("{decided}/reject"), json!({})).await.ok();
    api.post(&format!("{decided}/withdraw"), json!({})).await.refused(409, &["rejected"]);
}

async fn an_open_request_is_changed(deployment: &Deployment) {
    let (guild, api) = (deployment.guild(), deployment.api().key(&deployment.guild().admin_key));
    let request = ask(deployment, 2064).await;
    let later = json!({ "ends_at": "2064-01-20T00:00:00Z", "reason": "a journey" });
    let changed = api.patch(&request, later.clone()).await.ok();
    let expected = json!({ "starts_at": "2064-01-01T00:00:00Z", "ends_at": "2064-01-20T00:00:00Z", "reason": "a journey",
                           "state": "requested", "staff_id": guild.members[3].chat });
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(&changed[name], value, "{name}");
    }
    let entry = deployment.audit("loa.request_update").await[0]["metadata"].clone();
    assert_eq!(entry["before"], json!({ "ends_at": "2064-01-11T00:00:00Z", "reason": "exams" }));
    assert_eq!(entry["after"], later);
    let again = api.patch(&request, later).await.ok();
    assert_eq!((again, deployment.audit("loa.request_update").await.len()), (changed, 1));
    for (wrong, status, field) in [
        (json!({ "ends_at": "2063-12-31T00:00:00Z" }), 422, "ends_at"),
        (json!({ "starts_at": "soon" }), 400, "starts_at"),
        (json!({ "reason": "" }), 400, "reason"),
        (json!({ "state": "approved" }), 400, "give at least one"),
        (json!({}), 400, "reason"),
    ] {
        api.patch(&request, wrong).await.refused(status, &[field]);
    }
    api.post(&format!("{request}/approve"), json!({})).await.ok();
    api.patch(&request, json!({ "reason": "other" })).await.refused(409, &["already approved"]);
    let nowhere = format!("/guilds/{}/staff/leave-requests/987654321", guild.id);
    api.patch(&nowhere, json!({ "reason": "other" })).await.refused(404, &[]);
}
