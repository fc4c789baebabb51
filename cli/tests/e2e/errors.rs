//! Every error of docs/rules.md 2, with invalid input of every kind.

use reqwest::Method;
use serde_json::{Value, json};

use testkit::{Api, Deployment, in_turn};

in_turn!(
    every_field_of_a_binding_is_checked,
    fields_of_other_bodies_are_checked,
    query_parameters_are_checked,
    a_body_must_be_a_small_shallow_json_object,
    an_unknown_path_is_404_and_an_unknown_method_405,
    unknown_fields_are_ignored_and_ids_may_be_digits,
    a_valid_request_id_of_the_client_is_kept,
);

async fn every_field_of_a_binding_is_checked(deployment: &Deployment) {
    let valid = json!({ "type": "group_rank", "group_id": 1, "rank": 1, "role_id": "1" });
    let bad = [
        ("type", vec![Value::Null, json!(1), json!(""), json!("group_ranks")]),
        ("group_id", vec![Value::Null, json!(0), json!(-1), json!(1.5), json!("x"), json!([1]), json!(1e30)]),
        ("rank", vec![Value::Null, json!(-1), json!(256), json!(0.5), json!("ten"), json!(true)]),
        (
            "role_id",
            vec![
                Value::Null,
                json!(5),
                json!(""),
                json!("05"),
                json!("+5"),
                json!("-5"),
                json!("9223372036854775808"),
            ],
        ),
    ];
    // A key for each field, so that no rate limit refuses a call.
    for (field, values) in bad {
        let api = deployment.api().key(&deployment.new_key("").await);
        for path in ["/bindings/add", "/bindings/validate"] {
            let mut body = valid.clone();
            body.as_object_mut().unwrap().remove(field);
            api.post(path, body).await.refused(400, &[field]);
            for value in &values {
                let mut body = valid.clone();
                body[field] = value.clone();
                api.post(path, body).await.refused(400, &[field]);
            }
        }
    }
    let api = deployment.api();
    // The message names the value and the allowed ones.
    let mut body = valid.clone();
    body["rank"] = json!(256);
    api.post("/bindings/add", body).await.refused(400, &["rank", "256", "255"]);
    let mut body = valid.clone();
    body["type"] = json!("planet");
    api.post("/bindings/add", body).await.refused(400, &["type", "planet", "group_rank"]);
    api.patch("/bindings/update", json!({ "rank": 5 })).await.refused(400, &["binding_id"]);
    api.patch("/bindings/update", json!({ "binding_id": "x", "rank": 5 }))
        .await
        .refused(400, &["binding_id"]);
    api.patch("/bindings/update", json!({ "binding_id": 1, "rank": 300 })).await.refused(400, &["rank"]);
    assert_eq!(api.get("/bindings/list").await.ok()["bindings"].as_array().unwrap().len(), 4);
}

async fn fields_of_other_bodies_are_checked(deployment: &Deployment) {
    let (api, many) = (deployment.api(), (1..=201).collect::<Vec<i64>>());
    let many_chats: Vec<String> = many.iter().map(ToString::to_string).collect();
    let audit_logs = format!("/guilds/{}/audit-logs", deployment.guild().id);
    let cases = [
        ("/lookup/status", json!({}), "chat_ids"),
        ("/lookup/status", json!({ "chat_ids": "1" }), "chat_ids"),
        ("/lookup/status", json!({ "chat_ids": [1] }), "chat_ids"),
        ("/lookup/status", json!({ "chat_ids": many_chats }), "200"),
        ("/lookup/status", json!({ "play_ids": many }), "200"),
        ("/lookup/status", json!({ "play_ids": [0] }), "play_ids"),
        ("/reverse", json!({}), "play_ids"),
        ("/reverse", json!({ "play_ids": many }), "200"),
        ("/reverse", json!({ "play_ids": ["+4"] }), "play_ids"),
        ("/reverse", json!({ "play_ids": [1], "guild_id": 7 }), "guild_id"),
        ("/reverse", json!({ "play_ids": [1], "guild_id": "x" }), "guild_id"),
        ("/interactions/sync", json!({}), "user_id"),
        ("/interactions/sync", json!({ "user_id": 5 }), "user_id"),
        ("/interactions/sync", json!({ "user_id": "abc" }), "user_id"),
        ("/interactions/roles/assign", json!({ "user_id": "5" }), "role_id"),
        ("/interactions/roles/remove", json!({ "role_id": "5" }), "user_id"),
        ("/interactions/sync/all", json!({ "dry_run": "yes" }), "dry_run"),
        ("/interactions/sync/all", json!({ "max_removals": 1.5 }), "max_removals"),
        ("/bindings/test", json!({ "type": "group_rank", "group_id": 1, "rank": 1 }), "chat_id"),
        (&audit_logs, json!({ "metadata": {} }), "action"),
        (&audit_logs, json!({ "action": "", "metadata": {} }), "action"),
        (&audit_logs, json!({ "action": "Not dotted", "metadata": {} }), "action"),
        (&audit_logs, json!({ "action": "x.".repeat(501), "metadata": {} }), "action"),
        (&audit_logs, json!({ "action": "a.b", "metadata": [1] }), "metadata"),
    ];
    let before = api.get(&audit_logs).await.ok();
    for (path, body, word) in cases {
        api.post(path, body).await.refused(400, &[word]);
    }
    assert_eq!(deployment.member_updates().await, 0);
    assert_eq!(api.get(&audit_logs).await.ok(), before);
}

async fn query_parameters_are_checked(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), &deployment.guild().id);
    for (path, word) in [
        ("/lookup/chat/abc".to_owned(), "chatId"),
        ("/lookup/chat/012".to_owned(), "chatId"),
        ("/lookup/chat/9223372036854775808".to_owned(), "chatId"),
        ("/lookup/play/x".to_owned(), "playId"),
        ("/lookup/play/0".to_owned(), "playId"),
        ("/guilds/abc/members".to_owned(), "guildId"),
        (format!("/guilds/{guild}/audit-logs?limit=0"), "limit"),
        (format!("/guilds/{guild}/audit-logs?limit=-1"), "limit"),
        (format!("/guilds/{guild}/audit-logs?limit=ten"), "limit"),
        (format!("/guilds/{guild}/audit-logs?cursor=x"), "cursor"),
        (format!("/guilds/{guild}/jobs?limit=0"), "limit"),
        (format!("/guilds/{guild}/jobs?cursor=7"), "cursor"),
    ] {
        api.get(&path).await.refused(400, &[word]);
    }
    api.delete("/bindings/remove/x").await.refused(400, &["bindingId"]);
}

async fn a_body_must_be_a_small_shallow_json_object(deployment: &Deployment) {
    let api = deployment.api();
    let send =
        async |body: &[u8], kind: &str| api.raw(Method::POST, "/reverse", Some((kind, body.to_vec()))).await;
    for bad in ["", "{", "nope", "{\"play_ids\": [1],}", "{} {}", "\u{feff}", "{\"a\": NaN}"] {
        send(bad.as_bytes(), "application/json").await.refused(400, &[]);
    }
    send(b"{\"play_ids\": [1], \"x\": \"\xff\"}", "application/json").await.refused(400, &[]);
    for bad in ["[1]", "7", "null", "\"text\""] {
        send(bad.as_bytes(), "application/json").await.refused(400, &["object"]);
    }
    let deep = |levels: usize| {
        let (open, close) = ("[".repeat(levels - 1), "]".repeat(levels - 1));
        format!("{{\"play_ids\": [1], \"x\": {open}{close}}}")
    };
    send(deep(32).as_bytes(), "application/json").await.ok();
    send(deep(33).as_bytes(), "application/json").await.refused(400, &["32"]);
    send(deep(20_000).as_bytes(), "application/json").await.refused(400, &["32"]);

    let padded = |bytes: usize| {
        let frame = "{\"play_ids\":[1],\"x\":\"\"}".len();
        format!("{{\"play_ids\":[1],\"x\":\"{}\"}}", "y".repeat(bytes - frame))
    };
    send(padded(256 * 1024).as_bytes(), "application/json").await.ok();
    send(padded(256 * 1024 + 1).as_bytes(), "application/json").await.refused(413, &["262144"]);

    let good = b"{\"play_ids\": [1]}";
    for kind in ["text/plain", "application/x-www-form-urlencoded", "application/jsonp"] {
        send(good, kind).await.refused(415, &["application/json"]);
    }
    for kind in ["", "application/json; charset=utf-8", "APPLICATION/JSON"] {
        send(good, kind).await.ok();
    }
}

async fn an_unknown_path_is_404_and_an_unknown_method_405(deployment: &Deployment) {
    let api = deployment.api();
    for path in [
        "/nothing",
        "/api/v1",
        "/api/v1/nothing",
        "/bindings",
        "/lookup/chat/",
        "/lookup/chat/1/2",
        "/api/v2/bindings/list",
    ] {
        api.get(path).await.refused(404, &[]);
    }
    let sync = api.get("/interactions/sync").await.refused(405, &[]);
    assert_eq!(sync.header("allow"), Some("POST"));
    let settings = api.delete(&format!("/guilds/{}/settings", deployment.guild().id)).await.refused(405, &[]);
    assert_eq!(settings.header("allow"), Some("GET, HEAD, PATCH"));
    assert_eq!(
        api.post("/bindings/list", json!({})).await.refused(405, &[]).header("allow"),
        Some("GET, HEAD")
    );
    let prefixed = api.delete("/api/v1/reverse").await.refused(405, &[]);
    assert_eq!(prefixed.header("allow"), Some("POST"));
}

async fn unknown_fields_are_ignored_and_ids_may_be_digits(deployment: &Deployment) {
    let (api, guild) = (deployment.api(), deployment.guild());
    let body = json!({ "type": "group_rank", "group_id": "77", "rank": 9, "role_id": guild.roles[0], "color": "red" });
    let id = api.post("/bindings/add", body).await.ok()["id"].clone();
    assert!(id.is_i64(), "{id}");
    let bindings = api.get("/bindings/list").await.ok()["bindings"].clone();
    let binding = bindings.as_array().unwrap().iter().find(|binding| binding["id"] == id).unwrap();
    assert_eq!(binding["group_id"], 77);
    let member = &guild.members[0];
    let body = json!({ "play_ids": [member.play.to_string()], "extra": {} });
    assert_eq!(api.post("/reverse", body).await.ok()["results"][0]["play_id"], member.play);
}

async fn a_valid_request_id_of_the_client_is_kept(deployment: &Deployment) {
    async fn seen(api: &Api, sent: &str) -> String {
        let answer = api.header("x-request-id", sent).get("/nothing").await.refused(404, &[]);
        answer.header("x-request-id").unwrap().to_owned()
    }
    let api = deployment.api();
    for sane in ["abc-123", "01HZX_9.z", &"r".repeat(64)] {
        assert_eq!(seen(&api, sane).await, sane);
    }
    for strange in ["", "two words", "a\"b", "<script>", &"r".repeat(300), "é"] {
        let id = seen(&api, strange).await;
        assert!(id != strange && !id.is_empty() && id.len() <= 128, "{strange:?}: {id:?}");
    }
    assert_ne!(seen(&api, "").await, seen(&api, "").await);
}
