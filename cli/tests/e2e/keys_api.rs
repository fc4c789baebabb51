//! /guilds/:guildId/keys: keys made, replaced and revoked through HTTP (docs/rules.md 1).

use std::time::Duration;

use chrono::{TimeDelta, Utc};
use serde_json::{Value, json};
use testkit::{Api, Deployment, FELT, both_modes};

both_modes!(
    a_key_is_made_used_and_revoked,
    a_key_gives_only_what_it_has,
    a_key_makes_none_that_outlives_it,
    a_key_makes_none_with_a_larger_factor,
    a_key_replaces_none_that_may_more,
    a_key_is_revoked_with_what_it_made,
    a_replaced_key_ends_after_the_overlap,
    an_answer_with_a_secret_is_never_stored,
    keys_of_another_guild_do_not_exist
);

fn admin(deployment: &Deployment) -> (Api, String) {
    let guild = deployment.guild();
    (deployment.api().key(&guild.admin_key), format!("/guilds/{}/keys", guild.id))
}

async fn made(api: &Api, keys: &str, scopes: Value) -> (String, String) {
    let new = api.post(keys, json!({ "name": "game servers", "scopes": scopes })).await.ok();
    (new["public_id"].as_str().unwrap().to_owned(), new["text"].as_str().unwrap().to_owned())
}

async fn a_key_is_made_used_and_revoked(deployment: &Deployment) {
    let (api, keys) = admin(deployment);
    let (id, text) = made(&api, &keys, json!(["read", "play"])).await;
    assert_eq!(text[3..11], id);
    let listed = api.get(&keys).await.ok();
    assert!(!listed.to_string().contains(&text[12..]), "the list shows a secret");
    let row = listed["keys"].as_array().unwrap().iter().find(|key| key["public_id"] == id).unwrap();
    assert_eq!((&row["name"], &row["scopes"]), (&json!("game servers"), &json!(["read", "play"])));
    let audit = deployment.audit("keys.create").await;
    assert_eq!(audit[0]["target_id"], id);
    assert!(!audit[0].to_string().contains(&text[12..]), "the audit log shows a secret");
    let own = deployment.api().key(&text);
    own.get("/bindings/list").await.ok();
    own.get(&keys).await.refused(403, &["admin"]);
    api.delete(&format!("{keys}/{id}")).await.ok();
    own.key_ends(FELT).await.refused(401, &["revoked"]);
    assert_eq!(deployment.audit("keys.revoke").await[0]["target_id"], id);
}

async fn a_key_gives_only_what_it_has(deployment: &Deployment) {
    let (api, keys) = admin(deployment);
    let (_, text) = made(&api, &keys, json!(["admin"])).await;
    let narrow = deployment.api().key(&text);
    narrow.post(&keys, json!({ "name": "x", "scopes": ["moderation"] })).await.refused(403, &["moderation"]);
    let (wide, _) = made(&api, &keys, json!(["moderation"])).await;
    narrow.post(&format!("{keys}/{wide}/rotate"), json!({})).await.refused(403, &["moderation"]);
    for (wrong, named) in [
        (json!({ "name": "x", "scopes": [] }), "scopes"),
        (json!({ "name": "x", "scopes": ["root"] }), "scopes"),
        (json!({ "scopes": ["read"] }), "name"),
        (json!({ "name": "x", "scopes": ["read"], "expires_at": "2020-01-01T00:00:00Z" }), "expires_at"),
    ] {
        let answer = api.post(&keys, wrong).await;
        assert!([400, 422].contains(&answer.status), "{answer}");
        assert!(answer.to_string().contains(named), "{answer}");
    }
}

async fn a_key_makes_none_with_a_larger_factor(deployment: &Deployment) {
    let (api, keys) = admin(deployment);
    let wish =
        |factor: i64| json!({ "name": "x", "scopes": ["read", "play", "admin"], "hot_path_factor": factor });
    api.post(&keys, wish(2)).await.refused(422, &["hot_path_factor", "key that calls"]);
    api.post(&keys, wish(11)).await.refused(422, &["hot_path_factor", "10"]);
    api.post(&keys, wish(0)).await.refused(400, &["hot_path_factor"]);
    let create = [
        "keys",
        "create",
        "--guild",
        &deployment.guild().id,
        "--name",
        "wide",
        "--owner",
        &deployment.guild().members[0].chat,
        "--scopes",
        "read,play,admin",
        "--hot-path-factor",
        "5",
    ];
    let wide = api.key(deployment.command(&create).await.succeeded().trim());
    wide.post(&keys, wish(6)).await.refused(422, &["key that calls"]);
    let new = wide.post(&keys, wish(4)).await.ok();
    assert_eq!(new["hot_path_factor"], 4);
    let own = api.key(new["text"].as_str().unwrap());
    let checked = own.post("/play/players/check", json!({ "play_ids": [1] })).await;
    assert_eq!(checked.number("x-ratelimit-limit"), 1_200);
    // Above what the operator allows is what the operator gave, and no key passes it on.
    let fast = by_operator(deployment, &["--scopes", "read,admin", "--hot-path-factor", "11"]).await;
    let rotate = format!("{keys}/{}/rotate", &fast[3..11]);
    let refused = api.key(&fast).post(&rotate, json!({})).await.refused(422, &["hot_path_factor", "10"]);
    assert_eq!(refused.error(), "factor_too_large");
}

async fn a_replaced_key_ends_after_the_overlap(deployment: &Deployment) {
    let (api, keys) = admin(deployment);
    let (id, old) = made(&api, &keys, json!(["read"])).await;
    let rotated = api.post(&format!("{keys}/{id}/rotate"), json!({ "overlap_seconds": 2 })).await.ok();
    let new = rotated["text"].as_str().unwrap();
    for text in [old.as_str(), new] {
        deployment.api().key(text).get("/bindings/list").await.ok();
    }
    deployment.api().key(&old).key_ends(Duration::from_secs(10)).await;
    deployment.api().key(new).get("/bindings/list").await.ok();
    api.post(&format!("{keys}/{id}/rotate"), json!({})).await.refused(409, &["create another one"]);
}

async fn an_answer_with_a_secret_is_never_stored(deployment: &Deployment) {
    let (api, keys) = admin(deployment);
    let repeatable = api.header("idempotency-key", "once");
    let refused = repeatable.post(&keys, json!({ "name": "x", "scopes": ["read"] })).await;
    refused.refused(400, &["Idempotency-Key"]);
}

async fn keys_of_another_guild_do_not_exist(deployment: &Deployment) {
    let (api, keys) = admin(deployment);
    let other = deployment.other_guild();
    let there = deployment.api().key(&other.admin_key);
    let (id, text) = made(&there, &format!("/guilds/{}/keys", other.id), json!(["read"])).await;
    api.delete(&format!("{keys}/{id}")).await.refused(404, &[]);
    api.post(&format!("{keys}/{id}/rotate"), json!({})).await.refused(404, &[]);
    deployment.api().key(&text).get("/bindings/list").await.ok();
}

/// A time of day in some hours, as the API writes it.
fn in_hours(hours: i64) -> String {
    (chrono::DateTime::<Utc>::from(std::time::SystemTime::now()) + TimeDelta::hours(hours))
        .format("%Y-%m-%dT%H:%M:%SZ")
        .to_string()
}

/// A key made by the command line.
async fn by_operator(deployment: &Deployment, more: &[&str]) -> String {
    let guild = deployment.guild();
    let create = ["keys", "create", "--guild", &guild.id, "--name", "x", "--owner", &guild.members[1].chat];
    deployment.command(&[&create[..], more].concat()).await.succeeded().trim().to_owned()
}

async fn row(api: &Api, keys: &str, id: &str) -> Value {
    let listed = api.get(keys).await.ok();
    listed["keys"].as_array().unwrap().iter().find(|key| key["public_id"] == id).unwrap().clone()
}

async fn a_key_makes_none_that_outlives_it(deployment: &Deployment) {
    let (admin, keys) = admin(deployment);
    let short = by_operator(deployment, &["--scopes", "read,admin", "--expires-in", "1h"]).await;
    let (api, id) = (deployment.api().key(&short), &short[3..11]);
    let ends = row(&admin, &keys, id).await["expires_at"].clone();
    let later = json!({ "name": "x", "scopes": ["read"], "expires_at": in_hours(2) });
    let refused = api.post(&keys, later).await.refused(422, &["`expires_at`"]);
    assert_eq!(refused.error(), "expiry_after_caller");
    let unlimited = api.post(&keys, json!({ "name": "x", "scopes": ["read"] })).await.ok();
    assert_eq!((&unlimited["expires_at"], &unlimited["parent"]), (&ends, &json!(id)), "{unlimited}");
    // A key that replaces itself gains no time either.
    let own = api.post(&format!("{keys}/{id}/rotate"), json!({})).await.ok();
    assert_eq!((&own["expires_at"], &own["parent"]), (&ends, &json!(id)), "{own}");
    assert_eq!(deployment.audit("keys.create").await[0]["metadata"]["parent"], id);
}

async fn a_key_replaces_none_that_may_more(deployment: &Deployment) {
    let (admin, keys) = admin(deployment);
    let forever = by_operator(deployment, &["--scopes", "read,admin"]).await;
    let short = by_operator(deployment, &["--scopes", "read,admin", "--expires-in", "1h"]).await;
    let fast =
        by_operator(deployment, &["--scopes", "read", "--hot-path-factor", "7", "--expires-in", "1m"]).await;
    let before = admin.get(&keys).await.ok()["keys"].as_array().unwrap().len();
    for (caller, target, named) in [
        (&short, &forever, "`expires_at`"),
        (&short, &fast, "`hot_path_factor`"),
        (&forever, &fast, "`hot_path_factor`"),
    ] {
        let rotate = format!("{keys}/{}/rotate", &target[3..11]);
        let refused = deployment.api().key(caller).post(&rotate, json!({})).await.refused(403, &[named]);
        assert_eq!(refused.error(), "key_beyond_caller");
    }
    let listed = admin.get(&keys).await.ok();
    assert_eq!(listed["keys"].as_array().unwrap().len(), before, "{listed}");
    // A key with the same rights may replace both; it becomes the parent of the new ones.
    let rotate = format!("{keys}/{}/rotate", &short[3..11]);
    let new = deployment.api().key(&forever).post(&rotate, json!({})).await.ok();
    assert_eq!(new["parent"], forever[3..11], "{new}");
}

async fn a_key_is_revoked_with_what_it_made(deployment: &Deployment) {
    let (admin, keys) = admin(deployment);
    let (root, text) = made(&admin, &keys, json!(["read", "admin"])).await;
    let (child, child_text) = made(&deployment.api().key(&text), &keys, json!(["read", "admin"])).await;
    let (grandchild, last) = made(&deployment.api().key(&child_text), &keys, json!(["read"])).await;
    let (other, other_text) = made(&admin, &keys, json!(["read"])).await;
    let alone = admin.delete(&format!("{keys}/{root}")).await.ok();
    assert_eq!(alone["revoked"], json!([root]));
    deployment.api().key(&last).get("/bindings/list").await.ok();
    admin.delete(&format!("{keys}/{root}?descendants=maybe")).await.refused(400, &["`descendants`"]);
    let along = admin.delete(&format!("{keys}/{root}?descendants=true")).await.ok();
    let mut revoked: Vec<_> = along["revoked"].as_array().unwrap().iter().collect();
    revoked.sort_by_key(|id| **id != json!(child));
    assert_eq!(revoked, [&json!(child), &json!(grandchild)]);
    deployment.api().key(&last).key_ends(Duration::from_secs(10)).await;
    deployment.api().key(&other_text).get("/bindings/list").await.ok();
    assert_eq!(row(&admin, &keys, &other).await["state"], "live");
    let entries = deployment.audit("keys.revoke").await;
    let entry = entries.iter().find(|entry| entry["target_id"] == grandchild.as_str()).unwrap();
    assert_eq!(entry["metadata"]["parent"], child.as_str());
}
