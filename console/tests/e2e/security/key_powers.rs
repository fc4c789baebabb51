//! The same for keys: each opens what its scopes open, and no key gains rights.

use std::time::Duration;

use chrono::{SecondsFormat, TimeDelta};
use reqwest::Method;
use runtime::Clock;
use serde_json::{Value, json};
use testkit::{Api, Deployment, eventually, in_turn};

use super::powers::powers;

in_turn!(a_key_of_each_use_opens_its_scopes_and_gains_nothing, an_expired_key_and_its_keys_do_nothing,);

/// What `keys create --for` gives.
const USES: [(&str, &[&str]); 3] = [
    ("game", &["read", "play", "moderation"]),
    ("dashboard", &["read", "moderation", "staff", "sync", "shield"]),
    ("bot", &["read", "moderation", "staff", "sync", "links"]),
];
/// Records about people: not for game servers.
const ABOUT_PEOPLE: [&str; 8] = [
    "/guilds/{guildId}/staff/notes",
    "/guilds/{guildId}/staff/strikes",
    "/guilds/{guildId}/staff/loa",
    "/guilds/{guildId}/staff/leave-requests",
    "/guilds/{guildId}/staff/profile/{userId}",
    "/guilds/{guildId}/staff/quota-pending",
    "/staff/activity/{guildId}",
    "/guilds/{guildId}/audit-logs",
];

/// Every call of the document that was reviewed, with its scope.
fn calls() -> Vec<(Method, String, String)> {
    let text = include_str!("../../../../api/src/openapi/document/openapi.snap");
    let document: Value = serde_json::from_str(text.split_once("\n---\n").unwrap().1).unwrap();
    let mut calls = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            if let Some(scope) = operation["x-scope"].as_str() {
                calls.push((method.to_uppercase().parse().unwrap(), path.clone(), scope.to_owned()));
            }
        }
    }
    assert!(calls.len() > 70, "{calls:?}");
    calls
}

fn filled(deployment: &Deployment, path: &str) -> String {
    let path = path.replace("{guildId}", &deployment.guild().id);
    let parts = path.split('/').map(|part| if part.starts_with('{') { "4000000000" } else { part });
    parts.collect::<Vec<_>>().join("/")
}

/// Calls that would give the key, or another holder, more rights than it has.
async fn attempt(deployment: &Deployment, key: &Api) {
    let guild = deployment.guild();
    let of = |path: &str| format!("/guilds/{}/{path}", guild.id);
    let (me, powerful) = (&guild.members[1].chat, &guild.privileged_role);
    let all = json!({ "role_name": "R", "permissions": ["settings.write"], "play_permissions": ["ban"] });
    let admin_key = &guild.admin_key[3..11];
    for (method, path, body) in [
        (Method::PATCH, of("settings"), json!({ "allowed_privileged_roles": [powerful] })),
        (Method::PUT, of(&format!("staff/roles/{}", guild.roles[3])), all),
        (Method::PUT, of(&format!("staff/members/{me}")), json!({ "role_id": guild.high_role })),
        (Method::POST, of("keys"), json!({ "name": "mine", "scopes": ["read"] })),
        (Method::POST, of("keys"), json!({ "name": "mine", "scopes": ["admin"] })),
        (Method::POST, of(&format!("keys/{admin_key}/rotate")), json!({ "overlap_seconds": 0 })),
        (Method::POST, "/interactions/roles/assign".into(), json!({ "user_id": me, "role_id": powerful })),
        (
            Method::POST,
            "/interactions/roles/assign".into(),
            json!({ "user_id": me, "role_id": guild.high_role }),
        ),
    ] {
        let answer = key.send(method, &path, Some(body)).await;
        assert!([401, 403, 422].contains(&answer.status), "{path}: {answer}");
    }
}

async fn a_key_of_each_use_opens_its_scopes_and_gains_nothing(deployment: &Deployment) {
    let guild = deployment.guild();
    let (own, friend) = (&guild.members[1].chat, &guild.members[10].chat);
    for (named, scopes) in USES {
        let args = ["keys", "create", "--guild", &guild.id, "--name", named, "--owner", own, "--for", named];
        let text = deployment.command(&args).await.succeeded();
        let key = deployment.api().key(text.trim());
        let before = powers(deployment, own, friend).await;
        for (method, path, scope) in calls() {
            let body = (method != Method::GET).then(|| json!({ "dry_run": true }));
            let answer = key.send(method.clone(), &filled(deployment, &path), body).await;
            let opens = scopes.contains(&scope.as_str());
            let what = format!("{named}: {method} {path} needs {scope}: {answer}");
            assert!(answer.status != 401 && answer.status < 500, "{what}");
            // A job that does not exist is found before its kind is known.
            // What only members do, no key does in their place.
            let is_open = answer.status != 403 || answer.error() == "members_only";
            assert!(scope.contains("kind") || opens == is_open, "{what}");
            assert!(
                named != "game"
                    || method != Method::GET
                    || !ABOUT_PEOPLE.contains(&&*path)
                    || answer.status == 403,
                "{what}"
            );
        }
        attempt(deployment, &key).await;
        assert_eq!(powers(deployment, own, friend).await, before, "{named}");
    }
}

async fn an_expired_key_and_its_keys_do_nothing(deployment: &Deployment) {
    let guild = deployment.guild();
    let (own, friend) = (&guild.members[1].chat, &guild.members[10].chat);
    let keys = format!("/guilds/{}/keys", guild.id);
    let end = (Clock::system().now() + TimeDelta::seconds(5)).to_rfc3339_opts(SecondsFormat::Secs, true);
    let wanted = json!({ "name": "parent", "scopes": ["read", "sync", "admin"], "expires_at": end });
    let admin = deployment.api().key(&guild.admin_key);
    let made =
        async |by: &Api, body: Value| by.post(&keys, body).await.ok()["text"].as_str().unwrap().to_owned();
    let parent = deployment.api().key(&made(&admin, wanted).await);
    let endless = json!({ "name": "child", "scopes": ["read", "sync", "admin"] });
    let child = deployment.api().key(&made(&parent, endless).await);
    let before = powers(deployment, own, friend).await;
    for key in [&parent, &child] {
        eventually("the key ends", Duration::from_secs(20), async || {
            (key.get("/bindings/list").await.status == 401).then_some(())
        })
        .await;
        attempt(deployment, key).await;
    }
    assert_eq!(powers(deployment, own, friend).await, before);
}
