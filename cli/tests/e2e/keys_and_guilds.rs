//! Keys, scopes and the guild of a request (docs/rules.md 1).

use std::time::Duration;

use serde_json::json;

use testkit::{Deployment, FELT, both_modes, eventually, key_text};

both_modes!(
    a_key_is_read_from_three_headers_and_two_prefixes,
    invalid_keys_are_401,
    every_guild_id_of_a_request_must_be_the_keys_guild,
    a_missing_scope_is_403_and_named,
    a_revoked_key_is_refused_within_a_second,
    a_guild_may_have_several_keys,
);

async fn a_key_is_read_from_three_headers_and_two_prefixes(deployment: &Deployment) {
    let (api, key) = (deployment.api().without("x-api-key"), &deployment.guild().game_key);
    for (header, value) in [
        ("x-api-key", key.clone()),
        ("authorization", format!("Bearer {key}")),
        ("authorization", format!("ApiKey {key}")),
    ] {
        for path in ["/bindings/list", "/api/v1/bindings/list"] {
            api.header(header, &value).get(path).await.ok();
        }
    }
}

async fn invalid_keys_are_401(deployment: &Deployment) {
    let (api, key) = (deployment.api().without("x-api-key"), &deployment.guild().game_key);
    api.get("/bindings/list").await.refused(401, &[]);
    let expired = deployment.key_that_ends_in("1s").await;
    let mut wrong_secret = key.clone();
    wrong_secret.replace_range(20..21, if &key[20..21] == "0" { "1" } else { "0" });
    for bad in
        ["", "x", "gh_", "gh_00000000_", &key[..59], &key.to_uppercase(), &wrong_secret, &key_text(9, "none")]
    {
        api.header("x-api-key", bad).get("/bindings/list").await.refused(401, &[]);
        // An invalid key is refused before the body is read.
        api.header("x-api-key", bad).post("/bindings/add", json!({})).await.refused(401, &[]);
    }
    api.header("authorization", &format!("Basic {key}")).get("/bindings/list").await.refused(401, &[]);
    api.key(&expired).key_ends(Duration::from_secs(5)).await;
}

async fn every_guild_id_of_a_request_must_be_the_keys_guild(deployment: &Deployment) {
    let (api, own, other) = (deployment.api(), &deployment.guild().id, &deployment.other_guild().id);
    let lookup = format!("/lookup/chat/{}", deployment.guild().members[0].chat);
    api.header("x-guild-id", other).get(&lookup).await.refused(403, &[]);
    api.header("x-guild-id", other).get(&format!("/guilds/{own}/members")).await.refused(403, &[]);
    api.get(&format!("/guilds/{other}/members")).await.refused(403, &[]);
    api.post("/reverse", json!({ "guild_id": other, "play_ids": [1] })).await.refused(403, &[]);
    let body = json!({ "guild_id": own, "play_ids": [1] });
    api.header("x-guild-id", other).post("/reverse", body.clone()).await.refused(403, &[]);
    api.header("x-guild-id", own).post("/reverse", body).await.ok();
    api.post("/reverse", json!({ "play_ids": [1] })).await.ok();
    for header in ["abc", "-1", "07"] {
        api.header("x-guild-id", header).get(&lookup).await.refused(400, &["X-Guild-ID"]);
    }
}

async fn a_missing_scope_is_403_and_named(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let settings = format!("/guilds/{}/settings", guild.id);
    // By default a key has every scope except admin.
    api.key(&guild.game_key).get(&settings).await.refused(403, &["admin"]);
    api.key(&guild.game_key).patch(&settings, json!({})).await.refused(403, &["admin"]);
    let read_only = deployment.new_key("read").await;
    let api = api.key(&read_only);
    api.get("/bindings/list").await.ok();
    let sync = json!({ "user_id": guild.lacking().chat });
    api.post("/interactions/sync", sync).await.refused(403, &["sync"]);
    let binding = json!({ "type": "group_rank", "group_id": 1, "rank": 1, "role_id": "1" });
    api.post("/bindings/add", binding).await.refused(403, &["scope"]);
    api.delete("/bindings/remove/1").await.refused(403, &["scope"]);
    let entry = json!({ "action": "a.b", "metadata": {} });
    api.post(&format!("/guilds/{}/audit-logs", guild.id), entry).await.refused(403, &["scope"]);
    let only_sync = deployment.new_key("sync").await;
    api.key(&only_sync).get("/bindings/list").await.refused(403, &["read"]);
    assert_eq!(deployment.member_updates().await, 0);
    assert_eq!(deployment.api().get("/bindings/list").await.ok()["bindings"].as_array().unwrap().len(), 4);
}

async fn a_revoked_key_is_refused_within_a_second(deployment: &Deployment) {
    let key = deployment.new_key("").await;
    let api = deployment.api().key(&key);
    api.get("/bindings/list").await.ok();
    deployment.command(&["keys", "revoke", &key[3..11]]).await.succeeded();
    eventually("the key is refused", FELT, async || {
        (api.get("/bindings/list").await.status == 401).then_some(())
    })
    .await;
    deployment.api().get("/bindings/list").await.ok();
}

async fn a_guild_may_have_several_keys(deployment: &Deployment) {
    let (first, second) = (deployment.new_key("read,sync").await, deployment.new_key("read").await);
    assert_ne!(first, second);
    for key in [&first, &second] {
        assert_eq!((key.len(), &key[..3]), (60, "gh_"), "{key}");
        deployment.api().key(key).get("/bindings/list").await.ok();
    }
    let listed = deployment.command(&["keys", "list", "--guild", &deployment.guild().id]).await.succeeded();
    for key in [&first, &second] {
        assert!(listed.contains(&key[3..11]), "{listed}");
        assert!(!listed.contains(&key[12..]), "the list shows a secret");
    }
}
