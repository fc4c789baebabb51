use platforms::simulator::RateLimit;
use serde_json::{Value, json};

use crate::peer::{GROUP, GUILD, MEMBER_ROLE, Peer, chat, play};

#[tokio::test]
async fn bad_input_names_the_field() {
    let peer = Peer::start(1, RateLimit::Off).await;
    let guild = GUILD.to_string();
    let cases = [
        ("/control/faults", json!({ "route": "GET /nowhere", "status": 500 }), "route"),
        ("/control/faults", json!({ "route": "*", "status": 200 }), "status"),
        ("/control/faults", json!({ "route": "*" }), "status"),
        ("/control/faults", json!({ "route": "*", "hang_ms": 1, "count": 0 }), "count"),
        ("/control/faults", json!({ "route": "*", "status": 429, "retry_after": -1 }), "retry_after"),
        ("/control/faults", json!({ "route": "*", "hang_ms": "x" }), "invalid type"),
        ("/control/faults", json!({ "status": 500 }), "route"),
        ("/control/members", json!({}), "guild_id"),
        ("/control/members", json!({ "guild_id": guild }), "chat_id"),
        ("/control/members", json!({ "guild_id": "3", "chat_id": "4" }), "guild_id"),
        ("/control/members", json!({ "guild_id": guild, "chat_id": "4", "roles": ["5"] }), "roles"),
        ("/control/members", json!({ "guild_id": guild, "chat_id": "4", "nick": "x".repeat(33) }), "nick"),
        ("/control/members", json!({ "group_id": GROUP, "play_id": 4, "ranks": [11] }), "ranks"),
        ("/control/members", json!({ "group_id": GROUP }), "play_id"),
        ("/control/members", json!({ "surprise": 1 }), "surprise"),
    ];
    for (path, body, field) in cases {
        let (status, answer) = peer.post(path, body.clone()).await;
        let message = answer["message"].as_str().unwrap_or_default();
        assert!(status == 400 && message.contains(field), "{body}: {status} {message}");
    }
}

#[tokio::test]
async fn members_are_changed_added_and_removed() {
    let peer = Peer::start(1, RateLimit::Off).await;
    let guild = GUILD.to_string();
    let add = json!({ "guild_id": guild, "chat_id": chat(7), "roles": [MEMBER_ROLE.to_string()], "nick": "new",
        "group_id": GROUP, "play_id": play(7), "ranks": [20], "username": "p7" });
    assert_eq!(peer.post("/control/members", add).await.0, 204);
    let member = peer.member(7).await;
    assert_eq!((&member["nick"], &member["roles"]), (&json!("new"), &json!([MEMBER_ROLE.to_string()])));
    let bare = json!({ "guild_id": guild, "chat_id": chat(7), "nick": null });
    assert_eq!(peer.post("/control/members", bare).await.0, 204);
    assert_eq!(peer.member(7).await["nick"], Value::Null);
    let remove = json!({ "guild_id": guild, "chat_id": chat(7), "remove": true });
    assert_eq!(peer.post("/control/members", remove).await.0, 204);
    assert_eq!(peer.member(7).await["message"], "not a member");
}

#[tokio::test]
async fn statistics_start_over() {
    let peer = Peer::start(1, RateLimit::Off).await;
    let platforms = peer.platforms("off");
    platforms.chat.guild_roles(crate::peer::now()).await.unwrap();
    peer.http.get(format!("{}/guilds/{GUILD}/roles", peer.url)).send().await.unwrap();
    let stats = peer.stats().await;
    assert_eq!(stats["requests"]["GET /guilds/:guild/roles"], json!({ "200": 1, "401": 1 }));
    assert_eq!((&stats["invalid"], &stats["chat_requests"]), (&json!(1), &json!(2)));
    assert_eq!(peer.post("/control/stats/reset", json!({})).await.0, 204);
    assert_eq!(peer.stats().await["chat_requests"], 0);
    let routes: Value =
        peer.http.get(format!("{}/control/routes", peer.url)).send().await.unwrap().json().await.unwrap();
    assert!(routes["routes"].as_array().unwrap().contains(&json!("PATCH /guilds/:guild/members/:user")));
}

#[tokio::test]
async fn faults_are_spent_or_cleared() {
    let peer = Peer::start(1, RateLimit::Off).await;
    let chat_platform = peer.platforms("off").chat;
    peer.fault(json!({ "route": "GET /guilds/:guild/roles", "status": 503, "count": 9 })).await;
    assert!(chat_platform.guild_roles(crate::peer::now()).await.is_err());
    let cleared = peer.http.delete(format!("{}/control/faults", peer.url)).send().await.unwrap();
    assert_eq!(cleared.status(), 204);
    assert!(chat_platform.guild_roles(crate::peer::now()).await.is_ok());
}

#[tokio::test]
async fn it_stops_with_connections_open() {
    let mut peer = Peer::start(1, RateLimit::Off).await;
    peer.stats().await;
    let stopped = peer.stop();
    let served = tokio::time::timeout(std::time::Duration::from_secs(3), stopped).await;
    assert!(served.is_ok(), "it goes on serving");
    assert!(peer.http.get(format!("{}/control/stats", peer.url)).send().await.is_err());
}
