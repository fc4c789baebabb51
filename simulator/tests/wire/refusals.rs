//! Refusals of the chat platform, with its codes and the tree that names the field.

use reqwest::Method;
use serde_json::{Value, json};
use simulator::{Credentials, RateLimit, SimulatorOptions};

use crate::peer::{ADMIN_ROLE, BOT_ROLE, GUILD, MEMBER_ROLE, OFFICER_ROLE, Peer, chat};

async fn send(peer: &Peer, method: Method, path: &str, body: Value) -> (u16, Value) {
    let request = peer.http.request(method, format!("{}/api/v10{path}", peer.url));
    let answer = request.header("authorization", "Bot t").json(&body).send().await.unwrap();
    assert_eq!(answer.headers()["via"], "1.1 google");
    (answer.status().as_u16(), answer.json().await.unwrap_or(Value::Null))
}

/// 50035, with this code at this field.
async fn refused(peer: &Peer, method: Method, path: &str, body: Value, at: &str, code: &str) {
    let (status, answer) = send(peer, method, path, body.clone()).await;
    assert_eq!((status, &answer["code"]), (400, &json!(50035)), "{body}: {answer}");
    let error = &answer["errors"].pointer(&format!("/{at}/_errors/0")).unwrap_or(&Value::Null);
    assert_eq!(error["code"], code, "{body}: {answer}");
    assert!(!error["message"].as_str().unwrap_or_default().is_empty(), "{answer}");
}

#[tokio::test]
async fn wrong_fields_of_a_channel_are_named() {
    let peer = Peer::start(1, RateLimit::Off).await;
    let path = format!("/guilds/{GUILD}/channels");
    let (_, text) = send(&peer, Method::POST, &path, json!({ "name": "plain" })).await;
    let with = |field: &str, value: Value| json!({ "name": "x", field: value });
    let overwrite = |overwrite: Value| with("permission_overwrites", json!([overwrite]));
    let cases = [
        (json!({}), "name", "BASE_TYPE_REQUIRED"),
        (json!({ "name": "" }), "name", "BASE_TYPE_BAD_LENGTH"),
        (json!({ "name": "x".repeat(101) }), "name", "BASE_TYPE_BAD_LENGTH"),
        (json!({ "name": 7 }), "name", "STRING_TYPE_CONVERT"),
        (with("topic", json!("x".repeat(1025))), "topic", "BASE_TYPE_MAX_LENGTH"),
        (with("type", json!(99)), "type", "BASE_TYPE_CHOICES"),
        (with("parent_id", json!("77")), "parent_id", "CHANNEL_PARENT_INVALID"),
        (with("parent_id", text["id"].clone()), "parent_id", "CHANNEL_PARENT_INVALID_TYPE"),
        (with("parent_id", json!("x")), "parent_id", "NUMBER_TYPE_COERCE"),
        (with("permission_overwrites", json!("x")), "permission_overwrites", "LIST_TYPE_CONVERT"),
        (overwrite(json!({ "allow": "1" })), "permission_overwrites/0/id", "BASE_TYPE_REQUIRED"),
        (overwrite(json!({ "id": "x" })), "permission_overwrites/0/id", "NUMBER_TYPE_COERCE"),
        (overwrite(json!({ "id": "5", "type": 2 })), "permission_overwrites/0/type", "BASE_TYPE_CHOICES"),
        (overwrite(json!({ "id": "5", "deny": "x" })), "permission_overwrites/0/deny", "NUMBER_TYPE_COERCE"),
    ];
    for (body, at, code) in cases {
        refused(&peer, Method::POST, &path, body, at, code).await;
    }
    let (status, answer) = send(&peer, Method::POST, &path, overwrite(json!({ "id": "5", "type": 0 }))).await;
    assert_eq!((status, &answer["code"]), (404, &json!(10009)));
    assert_eq!(peer.stats().await["channels_created"], 1);
}

#[tokio::test]
async fn a_created_channel_is_returned_as_requested() {
    let peer = Peer::start(1, RateLimit::Off).await;
    let path = format!("/guilds/{GUILD}/channels");
    let (_, category) = send(&peer, Method::POST, &path, json!({ "name": "c", "type": 4 })).await;
    let overwrites = json!([
        { "id": GUILD.to_string(), "type": 0, "deny": 1024 },
        { "id": chat(0), "type": 1, "allow": "3072" },
    ]);
    let body = json!({ "name": "x", "topic": "é".repeat(1024), "parent_id": category["id"],
                       "permission_overwrites": overwrites });
    let (status, channel) = send(&peer, Method::POST, &path, body).await;
    assert_eq!((status, &channel["parent_id"]), (201, &category["id"]), "{channel}");
    let shown = json!([
        { "id": GUILD.to_string(), "type": 0, "allow": "0", "deny": "1024" },
        { "id": chat(0), "type": 1, "allow": "3072", "deny": "0" },
    ]);
    assert_eq!(channel["permission_overwrites"], shown);
}

#[tokio::test]
async fn wrong_fields_of_members_and_pages_are_named() {
    let peer = Peer::start(1, RateLimit::Off).await;
    let member = format!("/guilds/{GUILD}/members/{}", chat(0));
    let (one, other) = (MEMBER_ROLE.to_string(), OFFICER_ROLE.to_string());
    let cases = [
        (json!({ "roles": [&one, &other, &one] }), "roles/2", "SET_TYPE_ALREADY_CONTAINS_VALUE"),
        (json!({ "roles": [&one, "x"] }), "roles/1", "NUMBER_TYPE_COERCE"),
        (json!({ "roles": "x" }), "roles", "LIST_TYPE_CONVERT"),
        (json!({ "nick": "x".repeat(33) }), "nick", "BASE_TYPE_MAX_LENGTH"),
        (json!({ "nick": 3 }), "nick", "STRING_TYPE_CONVERT"),
    ];
    for (body, at, code) in cases {
        refused(&peer, Method::PATCH, &member, body, at, code).await;
    }
    for (query, at, code) in [
        ("limit=0", "limit", "NUMBER_TYPE_MIN"),
        ("limit=1001", "limit", "NUMBER_TYPE_MAX"),
        ("limit=x", "limit", "NUMBER_TYPE_COERCE"),
        ("after=x", "after", "NUMBER_TYPE_COERCE"),
    ] {
        let path = format!("/guilds/{GUILD}/members?{query}");
        refused(&peer, Method::GET, &path, json!({}), at, code).await;
    }
    for path in [format!("/guilds/x/members/{}", chat(0)), format!("/guilds/{GUILD}/members/x")] {
        let (status, answer) = send(&peer, Method::GET, &path, json!({})).await;
        assert_eq!((status, &answer["code"]), (400, &json!(50035)));
    }
}

#[tokio::test]
async fn each_missing_object_has_its_own_code() {
    let peer = Peer::start(2, RateLimit::Off).await;
    let leaves = json!({ "guild_id": GUILD.to_string(), "chat_id": chat(1), "remove": true });
    assert_eq!(peer.post("/control/members", leaves).await.0, 204);
    let member = |n: i64| format!("/guilds/{GUILD}/members/{}", chat(n));
    let role = |n: i64, role: i64| format!("{}/roles/{role}", member(n));
    let cases = [
        (Method::GET, member(1), 404, 10007),
        (Method::GET, member(9), 404, 10013),
        (Method::PATCH, member(9), 404, 10013),
        (Method::PUT, role(1, MEMBER_ROLE), 404, 10007),
        (Method::DELETE, role(9, MEMBER_ROLE), 404, 10013),
        (Method::PUT, role(0, GUILD), 404, 10011),
        (Method::PUT, role(0, 99), 404, 10011),
        (Method::PUT, role(0, ADMIN_ROLE), 403, 50013),
        (Method::PUT, role(0, BOT_ROLE), 403, 50013),
        (Method::GET, "/guilds/3".to_owned(), 404, 10004),
        (Method::GET, format!("/guilds/{GUILD}/bans/{}", chat(0)), 404, 10026),
        (Method::DELETE, format!("/guilds/{GUILD}/bans/{}", chat(0)), 404, 10026),
        (Method::PUT, format!("/guilds/{GUILD}/bans/{}", chat(9)), 404, 10013),
        (Method::GET, "/nowhere".to_owned(), 404, 0),
        (Method::DELETE, "/users/%40me".to_owned(), 405, 0),
    ];
    for (method, path, status, code) in cases {
        let answer = send(&peer, method.clone(), &path, json!({})).await;
        assert_eq!((answer.0, &answer.1["code"]), (status, &json!(code)), "{method} {path}");
    }
}

#[tokio::test]
async fn reasons_are_kept_and_limited() {
    let peer = Peer::start(1, RateLimit::Off).await;
    let member = format!("{}/guilds/{GUILD}/members/{}", peer.url, chat(0));
    let put = async |url: &str, reason: &str| {
        let request =
            peer.http.put(url).header("authorization", "Bot t").header("x-audit-log-reason", reason);
        request.send().await.unwrap()
    };
    let role = format!("{member}/roles/{OFFICER_ROLE}");
    let granted = put(&role, "R%C3%A4nge: 50%25").await;
    assert_eq!((granted.status().as_u16(), granted.headers().get("content-type")), (204, None));
    assert_eq!(put(&role, &"%C3%A9".repeat(512)).await.status(), 204);
    let long = put(&role, &"%C3%A9".repeat(513)).await;
    assert_eq!(long.status(), 400);
    assert_eq!(
        long.json::<Value>().await.unwrap()["errors"]["reason"]["_errors"][0]["code"],
        "BASE_TYPE_MAX_LENGTH"
    );
    let ban = format!("{}/guilds/{GUILD}/bans/{}", peer.url, chat(0));
    assert_eq!(put(&ban, "rule%201").await.status(), 204);
    let (_, ban) = send(&peer, Method::GET, &format!("/guilds/{GUILD}/bans/{}", chat(0)), json!({})).await;
    assert_eq!((&ban["reason"], &ban["user"]["id"]), (&json!("rule 1"), &json!(chat(0))));

    let log = format!("{}/control/chat/guilds/{GUILD}/audit-log", peer.url);
    let log: Value = peer.http.get(log).send().await.unwrap().json().await.unwrap();
    let entries = log["entries"].as_array().unwrap();
    assert_eq!(entries.len(), 3, "{log}");
    let first = json!({ "route": "PUT /guilds/:guild/members/:user/roles/:role", "user_id": chat(0),
                        "role_id": OFFICER_ROLE.to_string(), "reason": "Ränge: 50%" });
    assert_eq!(entries[0], first);
    assert_eq!(entries[2]["reason"], "rule 1");
}

#[tokio::test]
async fn wrong_credentials_are_refused() {
    let options = SimulatorOptions {
        rate_limit: RateLimit::Off,
        credentials: Credentials { chat_token: Some("right".into()), play_key: Some("key".into()) },
        ..SimulatorOptions::default()
    };
    let peer = Peer::with(1, options).await;
    let status = async |path: &str, header: &str, value: &str| {
        let answer = peer.http.get(format!("{}{path}", peer.url)).header(header, value).send().await.unwrap();
        (answer.status().as_u16(), answer.json::<Value>().await.unwrap())
    };
    assert_eq!(status("/users/%40me", "authorization", "Bot right").await.0, 200);
    for wrong in ["right", "Bearer right", "bot right", "Bot wrong", "Bot ", "Bot a b"] {
        let refused = (401, json!({ "code": 0, "message": "401: Unauthorized" }));
        assert_eq!(status("/users/@me", "authorization", wrong).await, refused, "{wrong}");
    }
    let roles = format!("/cloud/v2/groups/{}/roles", crate::peer::GROUP);
    assert_eq!(status(&roles, "x-api-key", "key").await.0, 200);
    let refused = (401, json!({ "errors": [{ "code": 0, "message": "Invalid API Key" }] }));
    assert_eq!(status(&roles, "x-api-key", "other").await, refused);
    assert_eq!(status(&roles, "x-nothing", "key").await, refused);
}

#[tokio::test]
async fn the_member_list_needs_the_privileged_intent() {
    let peer = Peer::start(1, RateLimit::Off).await;
    let members = format!("/guilds/{GUILD}/members?limit=1");
    let flags = async || send(&peer, Method::GET, "/applications/@me", json!({})).await.1["flags"].clone();
    assert_eq!(send(&peer, Method::GET, &members, json!({})).await.0, 200);
    assert_eq!(flags().await, 1 << 15);
    assert_eq!(peer.post("/control/intents", json!({ "guild_members": false })).await.0, 204);
    let (status, refused) = send(&peer, Method::GET, &members, json!({})).await;
    assert_eq!((status, refused), (403, json!({ "code": 50001, "message": "Missing Access" })));
    assert_eq!(flags().await, 0);
    // Reading a single member needs no intent.
    let one = format!("/guilds/{GUILD}/members/{}", chat(0));
    assert_eq!(send(&peer, Method::GET, &one, json!({})).await.0, 200);
    assert_eq!(peer.post("/control/intents", json!({ "members": false })).await.0, 400);
}
