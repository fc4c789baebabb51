//! Numbers and empty tables as the encoder of game scripts writes them (docs/rules.md 8).

use reqwest::Method;
use serde_json::json;
use testkit::{Deployment, in_turn};

in_turn!(empty_arrays_and_whole_floats_of_lua_are_accepted);

async fn empty_arrays_and_whole_floats_of_lua_are_accepted(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let raw = async |method: Method, path: &str, text: &str| {
        api.raw(method, path, Some(("application/json", text.as_bytes().to_vec()))).await
    };
    // Luau's `JSONEncode({})` gives `[]`.
    let path = format!("/guilds/{}/audit-logs", guild.id);
    api.post(&path, json!({ "action": "a.b", "metadata": [] })).await.ok();
    assert_eq!(deployment.audit("a.b").await[0]["metadata"], json!({}));
    let settings = format!("/guilds/{}/settings", guild.id);
    raw(Method::PATCH, &settings, "[]").await.ok();
    api.patch(&settings, json!({ "score_weights": [] })).await.ok();
    raw(Method::POST, "/interactions/sync/all", "[]").await.ok();
    raw(Method::POST, "/bindings/add", "[]").await.refused(400, &["`type` is missing"]);

    let binding = format!(
        r#"{{"type":"group_rank","group_id":{}.0,"rank":5e1,"role_id":"{}"}}"#,
        guild.group, guild.roles[0]
    );
    let id = raw(Method::POST, "/bindings/add", &binding).await.ok()["id"].as_i64().unwrap();
    raw(Method::PATCH, "/bindings/update", &format!(r#"{{"binding_id":{id}.0,"rank":51.0}}"#)).await.ok();
    let bindings = api.get("/bindings/list").await.ok()["bindings"].clone();
    let added = bindings.as_array().unwrap().iter().find(|binding| binding["id"] == id).unwrap();
    assert_eq!((&added["rank"], &added["group_id"]), (&json!(51), &json!(guild.group)));
    let play = guild.members[0].play;
    let found = raw(Method::POST, "/reverse", &format!(r#"{{"play_ids":[{play}.0]}}"#)).await.ok();
    assert_eq!(found["results"][0]["play_id"], play);
    raw(Method::POST, "/reverse", r#"{"play_ids":[1.5]}"#).await.refused(400, &["play_ids[0]"]);

    for (path, body, expected) in [
        ("/lookup/status", json!({ "chat_ids": [] }), json!({ "results": [] })),
        ("/lookup/status", json!({ "play_ids": [] }), json!({ "results": [] })),
        ("/reverse", json!({ "play_ids": [] }), json!({ "results": [] })),
        ("/shield/batch", json!({ "play_ids": [] }), json!({ "flagged": [] })),
        (
            "/shield/import",
            json!({ "users": [] }),
            json!({ "imported": 0, "skipped": 0, "skipped_users": [] }),
        ),
    ] {
        assert_eq!(api.post(path, body).await.ok(), expected, "{path}");
    }
}
