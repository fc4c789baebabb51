//! `guildhall keys`: keys by their public id, rotation, and the user in the audit log.

use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use testkit::{Deployment, FELT, both_modes};

both_modes!(
    keys_are_created_and_revoked,
    a_key_is_named_by_its_public_id,
    a_rotated_key_has_a_successor_and_ends_after_the_overlap,
    a_key_that_is_not_live_cannot_be_rotated,
    a_key_is_revoked_with_its_descendants,
);

async fn listed(deployment: &Deployment, key: &str) -> Value {
    let guild = ["keys", "list", "--json", "--guild", &deployment.guild().id];
    let keys: Vec<Value> = serde_json::from_str(&deployment.command(&guild).await.succeeded()).unwrap();
    keys.into_iter().find(|listed| listed["public_id"] == key[3..11]).unwrap()
}

async fn keys_are_created_and_revoked(deployment: &Deployment) {
    let key = deployment.new_key("read").await;
    deployment.api().key(&key).get("/bindings/list").await.ok();
    let entries = deployment.audit("keys.create").await;
    assert_eq!(entries[0]["target_id"], key[3..11]);
    assert!(!entries[0].to_string().contains(&key[12..]), "the audit log shows a secret");
    deployment.command(&["keys", "revoke", &key[3..11]]).await.succeeded();
    deployment.api().key(&key).key_ends(FELT).await;
    let entry = &deployment.audit("keys.revoke").await[0];
    assert_eq!(entry["target_id"], key[3..11]);
    let user = String::from_utf8(Command::new("id").arg("-un").output().unwrap().stdout).unwrap();
    let by = json!(format!("os:{}", user.trim()));
    assert_eq!((&entry["metadata"]["by"], &entry["actor_id"]), (&by, &json!("0")), "{entry}");
    let again = deployment.command(&["keys", "revoke", &key[3..11]]).await.succeeded();
    assert!(again.contains("already revoked"), "{again}");
}

async fn a_key_is_named_by_its_public_id(deployment: &Deployment) {
    let key = deployment.new_key("read").await;
    for verb in ["revoke", "rotate"] {
        let refused = deployment.command(&["keys", verb, &key]).await.refused();
        assert!(refused.contains("public id") && !refused.contains(&key[12..]), "{refused}");
    }
    assert_eq!(listed(deployment, &key).await["state"], "live");
    // The text alone can be given on standard input.
    let wrong = deployment.command_with_input(&["keys", "revoke", "-"], &key[..50]).await.refused();
    assert!(!wrong.contains(&key[12..50]), "{wrong}");
    deployment.command_with_input(&["keys", "revoke", "-"], &format!("{key}\n")).await.succeeded();
    assert_eq!(listed(deployment, &key).await["state"], "revoked");
    let job = deployment.api().header("prefer", "respond-async");
    let sync = json!({ "user_id": deployment.guild().lacking().chat });
    let job = job.post("/interactions/sync", sync).await.body["data"]["job_id"].clone();
    let shown = deployment.command(&["jobs", "show", job.as_str().unwrap(), "--json"]).await.succeeded();
    let shown: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(shown["key"], deployment.guild().admin_key[3..11], "{shown}");
}

async fn a_rotated_key_has_a_successor_and_ends_after_the_overlap(deployment: &Deployment) {
    let guild = deployment.guild();
    let create =
        ["keys", "create", "--guild", &guild.id, "--name", "servers", "--owner", &guild.members[1].chat];
    let more = ["--for", "game", "--hot-path-factor", "7"];
    let old = deployment.command(&[&create[..], &more].concat()).await.succeeded().trim().to_owned();
    let rotate = ["keys", "rotate", &old[3..11], "--overlap", "6s"];
    let new = deployment.command(&rotate).await.succeeded().trim().to_owned();
    for key in [&old, &new] {
        deployment.api().key(key).get("/bindings/list").await.ok();
        deployment
            .api()
            .key(key)
            .post("/interactions/sync", json!({ "user_id": "5" }))
            .await
            .refused(403, &[]);
    }
    let (before, after) = (listed(deployment, &old).await, listed(deployment, &new).await);
    for field in ["guild_id", "name", "owner_id", "scopes", "hot_path_factor"] {
        assert_eq!(before[field], after[field], "{field}");
    }
    assert!(before["expires_at"].is_string() && after["expires_at"].is_null(), "{before} {after}");
    let entry = &deployment.audit("keys.rotate").await[0];
    assert_eq!(
        (&entry["target_id"], &entry["metadata"]["new_key"]),
        (&json!(old[3..11]), &json!(new[3..11]))
    );
    assert_eq!(entry["metadata"]["before"]["expires_at"], Value::Null);
    assert_eq!(entry["metadata"]["after"]["expires_at"], before["expires_at"]);
    assert_eq!(deployment.audit("keys.create").await[0]["target_id"], new[3..11]);
    deployment.api().key(&old).key_ends(Duration::from_secs(12)).await;
    deployment.api().key(&new).get("/bindings/list").await.ok();
}

async fn a_key_that_is_not_live_cannot_be_rotated(deployment: &Deployment) {
    let key = deployment.key_that_ends_in("1h").await;
    let ends = listed(deployment, &key).await["expires_at"].clone();
    // The overlap does not prolong the old key, and the new one has the same lifetime.
    let new = deployment.command(&["keys", "rotate", &key[3..11]]).await.succeeded();
    assert_eq!(listed(deployment, &key).await["expires_at"], ends);
    assert!(listed(deployment, new.trim()).await["expires_at"].as_str() >= ends.as_str());
    deployment.command(&["keys", "revoke", &key[3..11]]).await.succeeded();
    let before = deployment.audit("keys.create").await.len();
    let refused = deployment.command(&["keys", "rotate", &key[3..11]]).await.refused();
    assert!(refused.contains("revoked or expired"), "{refused}");
    assert_eq!(deployment.audit("keys.create").await.len(), before);
}

async fn a_key_is_revoked_with_its_descendants(deployment: &Deployment) {
    let (keys, root) =
        (format!("/guilds/{}/keys", deployment.guild().id), deployment.new_key("read,admin").await);
    let api = deployment.api().key(&root);
    let child = api.post(&keys, json!({ "name": "x", "scopes": ["read"] })).await.ok();
    let child = child["text"].as_str().unwrap();
    // A key that an operator replaces keeps its parent.
    let new = deployment.command(&["keys", "rotate", &child[3..11]]).await.succeeded().trim().to_owned();
    for key in [child, &new] {
        assert_eq!(listed(deployment, key).await["parent"], root[3..11]);
    }
    let said = deployment.command(&["keys", "revoke", &root[3..11], "--with-descendants"]).await.succeeded();
    for key in [&root, child, &new] {
        assert!(said.contains(&format!("revoked key {}", &key[3..11])), "{said}");
        assert_eq!(listed(deployment, key).await["state"], "revoked");
    }
    deployment.api().key(child).key_ends(Duration::from_secs(10)).await;
}
