//! `Idempotency-Key` on writes (docs/rules.md 8).

use reqwest::Method;
use serde_json::json;

use testkit::{Deployment, both_modes, in_turn};

both_modes!(
    the_first_answer_is_replayed,
    another_body_under_the_same_key_is_refused,
    another_query_under_the_same_key_is_refused,
    the_same_json_in_another_form_is_the_same_body,
    concurrent_requests_with_one_key_are_applied_once,
    a_job_is_enqueued_once,
    the_error_of_a_job_is_replayed,
    every_kind_of_write_is_replayed,
);

in_turn!(the_length_of_a_key_is_checked,);

async fn the_first_answer_is_replayed(deployment: &Deployment) {
    let (guild, api) = (deployment.guild(), deployment.api().header("idempotency-key", "first"));
    let body = json!({ "type": "group_rank", "group_id": guild.group, "rank": 7, "role_id": guild.roles[0] });
    let first = api.post("/bindings/add", body.clone()).await;
    assert_eq!(first.header("idempotent-replayed"), None, "{first}");
    let again = api.post("/bindings/add", body.clone()).await;
    assert_eq!(again.header("idempotent-replayed"), Some("true"), "{again}");
    assert_eq!(again.without_request_id(), first.without_request_id());
    // Without the key the repeat is a conflict, so the first request was applied.
    deployment.api().post("/bindings/add", body).await.refused(409, &[]);
    assert_eq!(deployment.audit("bindings.add").await.len(), 1);
    // A refusal of an invalid request is not kept under the key.
    let api = deployment.api().header("idempotency-key", "second");
    api.post("/bindings/add", json!({ "type": "group_rank" })).await.refused(400, &[]);
}

async fn another_body_under_the_same_key_is_refused(deployment: &Deployment) {
    let (guild, api) = (deployment.guild(), deployment.api().header("idempotency-key", "k"));
    let path = format!("/guilds/{}/audit-logs", guild.id);
    api.post(&path, json!({ "action": "a.b", "metadata": {} })).await.ok();
    api.post(&path, json!({ "action": "a.c", "metadata": {} })).await.refused(422, &[]);
    api.post("/bindings/add", json!({ "action": "a.b", "metadata": {} })).await.refused(422, &[]);
    // Idempotency keys belong to an API key, not to the guild.
    api.key(&guild.game_key).post(&path, json!({ "action": "a.c", "metadata": {} })).await.ok();
    assert_eq!(deployment.audit("a.b").await.len(), 1);
}

async fn another_query_under_the_same_key_is_refused(deployment: &Deployment) {
    let keys = format!("/guilds/{}/keys", deployment.guild().id);
    let made = deployment.api().post(&keys, json!({ "name": "made", "scopes": ["read"] })).await.ok();
    let path = format!("{keys}/{}", made["public_id"].as_str().unwrap());
    let api = deployment.api().header("idempotency-key", "revoke");
    let first = api.delete(&path).await;
    let again = api.delete(&format!("{path}?descendants=")).await;
    assert_eq!(again.header("idempotent-replayed"), Some("true"), "an empty parameter is none: {again}");
    assert_eq!(again.body["data"], first.body["data"]);
    let other = api.delete(&format!("{path}?descendants=true")).await.refused(422, &[]);
    assert_eq!(other.error(), "idempotency_key_reused");
    // Under a key of its own it is another request.
    let api = deployment.api().header("idempotency-key", "revoke-all");
    for replayed in [None, Some("true")] {
        let done = api.delete(&format!("{path}?descendants=true")).await;
        assert_eq!((done.status, done.header("idempotent-replayed")), (200, replayed), "{done}");
    }
}

async fn the_same_json_in_another_form_is_the_same_body(deployment: &Deployment) {
    let (api, path) = (
        deployment.api().header("idempotency-key", "form"),
        format!("/guilds/{}/audit-logs", deployment.guild().id),
    );
    let send = async |path: &str, text: &str| {
        api.raw(Method::POST, path, Some(("application/json", text.as_bytes().to_vec()))).await
    };
    let first =
        send(&path, r#"{"action": "a.b", "metadata": {"x": 1, "y": {"p": [1, 2], "q": null}}}"#).await;
    let id = first.ok()["id"].clone();
    for same in [
        r#"{"metadata":{"y":{"q":null,"p":[1,2]},"x":1},"action":"a.b"}"#,
        "{\n  \"action\": \"a.b\",\n  \"metadata\": {\"x\": 1.0, \"y\": {\"p\": [1, 2], \"q\": null}}\n}",
    ] {
        let again = send(&format!("/api/v1{path}/"), same).await;
        assert_eq!(again.header("idempotent-replayed"), Some("true"), "{again}");
        assert_eq!(again.ok()["id"], id);
    }
    let other = r#"{"action": "a.b", "metadata": {"x": 1, "y": {"p": [2, 1], "q": null}}}"#;
    send(&path, other).await.refused(422, &[]);
    assert_eq!(deployment.audit("a.b").await.len(), 1);
}

async fn concurrent_requests_with_one_key_are_applied_once(deployment: &Deployment) {
    let (guild, api) = (deployment.guild(), deployment.api().header("idempotency-key", "at-once"));
    let path = format!("/guilds/{}/audit-logs", guild.id);
    let body = json!({ "action": "race.run", "metadata": {} });
    let answers = futures_util::future::join_all((0..8).map(|_| api.post(&path, body.clone()))).await;
    for answer in &answers {
        assert!(matches!(answer.status, 200 | 409), "{answer}");
    }
    let ids: Vec<_> =
        answers.iter().filter(|answer| answer.status == 200).map(|a| &a.body["data"]["id"]).collect();
    assert!(!ids.is_empty() && ids.iter().all(|id| *id == ids[0]), "{ids:?}");
    assert_eq!(deployment.audit("race.run").await.len(), 1);
}

async fn a_job_is_enqueued_once(deployment: &Deployment) {
    let (guild, api) = (deployment.guild(), deployment.api().header("idempotency-key", "job"));
    let member = guild.lacking();
    let first = api.post("/interactions/sync", json!({ "user_id": member.chat })).await;
    let again = api.post("/interactions/sync", json!({ "user_id": member.chat })).await;
    // A second sync would add no role, so this answer is the first one's.
    assert_eq!(again.body["data"], first.body["data"], "{again}");
    assert_eq!(first.ok()["added_roles"], json!([member.wanted]));

    // A repeat of an unfinished request starts no second job.
    let extra = guild.with_extra();
    let api = deployment.api().header("idempotency-key", "job-2").header("prefer", "respond-async");
    let first = api.post("/interactions/sync", json!({ "user_id": extra.chat })).await;
    let again = api.post("/interactions/sync", json!({ "user_id": extra.chat })).await;
    assert_eq!(first.status, 202, "{first}");
    let jobs = deployment.api().get(&format!("/guilds/{}/jobs", guild.id)).await.ok();
    assert_eq!(jobs["jobs"].as_array().unwrap().len(), 2, "{jobs} after {again}");

    let api = deployment.api().header("idempotency-key", "bulk");
    let first = api.post("/interactions/sync/all", json!({})).await.ok();
    let again = api.post("/interactions/sync/all", json!({})).await.ok();
    assert_eq!(first["job_id"], again["job_id"]);
}

async fn the_error_of_a_job_is_replayed(deployment: &Deployment) {
    let (guild, api) = (deployment.guild(), deployment.api().header("idempotency-key", "fails"));
    let left = &guild.members[4];
    let gone = json!({ "guild_id": guild.id, "chat_id": left.chat, "remove": true });
    deployment.simulator.change_member(gone).await;
    let route = "GET /guilds/:guild/members/:user";
    deployment.fault(json!({ "route": route, "hang_ms": 2500, "count": 1 })).await;
    let body = json!({ "user_id": left.chat });
    let first = api.header("prefer", "respond-async").post("/interactions/sync", body.clone()).await;
    assert_eq!(first.status, 202, "{first}");
    let again = api.post("/interactions/sync", body).await.refused(404, &[]);
    assert_eq!((again.error(), again.header("idempotent-replayed")), ("not_a_member", Some("true")));
    assert_eq!(deployment.job_rows("sync_member").await.len(), 1);
}

async fn every_kind_of_write_is_replayed(deployment: &Deployment) {
    let guild = deployment.guild();
    let below = |rest: &str| format!("/guilds/{}/{rest}", guild.id);
    let member = below(&format!("staff/members/{}", guild.members[9].chat));
    for (key, method, path, body, audited) in [
        ("1", Method::PUT, &member, Some(json!({ "role_id": guild.roles[3] })), "staff_members.put"),
        ("2", Method::PATCH, &below("settings"), Some(json!({ "strike_days": 5 })), "settings.update"),
        ("3", Method::DELETE, &member, None, "staff_members.delete"),
    ] {
        let api = deployment.api().header("idempotency-key", key);
        let first = api.send(method.clone(), path, body.clone()).await;
        let again = api.send(method, path, body).await;
        assert_eq!(first.header("idempotent-replayed"), None, "{first}");
        assert_eq!(again.header("idempotent-replayed"), Some("true"), "{again}");
        assert_eq!(again.without_request_id(), first.without_request_id());
        assert_eq!((first.status, deployment.audit(audited).await.len()), (200, 1), "{first}");
    }
}

async fn the_length_of_a_key_is_checked(deployment: &Deployment) {
    let path = format!("/guilds/{}/audit-logs", deployment.guild().id);
    let body = json!({ "action": "a.b", "metadata": {} });
    deployment.api().header("idempotency-key", &"k".repeat(255)).post(&path, body.clone()).await.ok();
    deployment
        .api()
        .header("idempotency-key", &"k".repeat(256))
        .post(&path, body.clone())
        .await
        .refused(400, &["Idempotency-Key"]);
    for bad in ["", "é", "a\tb"] {
        let api = deployment.api().header("idempotency-key", bad);
        api.post(&path, body.clone()).await.refused(400, &["Idempotency-Key"]);
    }
    assert_eq!(deployment.audit("a.b").await.len(), 1);
}
