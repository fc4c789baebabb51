use std::time::Duration;

use platforms::MemberUpdate;
use serde_json::{Value, json};
use simulator::RateLimit;
use testkit::eventually;

use crate::peer::{GROUP, GUILD, MEMBER_ROLE, Peer, chat, play};

#[tokio::test]
async fn bad_input_names_the_field() {
    let peer = Peer::start(1, RateLimit::Off).await;
    let guild = GUILD.to_string();
    let cases = [
        ("/control/faults", json!({ "route": "GET /nowhere", "status": 500 }), "route"),
        ("/control/faults", json!({ "route": "*", "status": 200 }), "status"),
        ("/control/faults", json!({ "route": "*" }), "status"),
        ("/control/faults", json!({ "route": "*", "huge_bytes": -1 }), "invalid value"),
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
        ("/control/keys", json!({ "withdraw": 1 }), "invalid type"),
        ("/control/profiles", json!({ "play_id": 4 }), "play_id"),
        ("/control/profiles", json!({ "play_id": play(0), "created_at": "x" }), "invalid"),
        ("/control/connections", json!({ "chat_id": "4", "connections": [] }), "chat_id"),
        ("/control/connections", json!({ "chat_id": chat(0), "connections": [{ "id": "1" }] }), "type"),
    ];
    for (path, body, field) in cases {
        let (status, answer) = peer.post(path, body.clone()).await;
        let message = answer["message"].as_str().unwrap_or_default();
        assert!(status == 400 && message.contains(field), "{body}: {status} {message}");
    }
}

#[tokio::test]
async fn a_huge_answer_has_its_size_and_is_cut_off_by_the_client() {
    let peer = Peer::start(1, RateLimit::Off).await;
    for content_length in [false, true] {
        let fault = |bytes: u64| json!({ "route": "GET /guilds/:guild/roles", "huge_bytes": bytes, "content_length": content_length });
        assert_eq!(peer.post("/control/faults", fault(200_000)).await.0, 204);
        let answer = peer.http.get(format!("{}/guilds/{GUILD}/roles", peer.url)).send().await.unwrap();
        assert_eq!((answer.status().as_u16(), answer.content_length().is_some()), (200, content_length));
        assert_eq!(answer.bytes().await.unwrap().len(), 200_000);
        assert_eq!(peer.post("/control/faults", fault(1 << 40)).await.0, 204);
        let error = peer.platforms("off").chat.guild_roles(crate::peer::now()).await.unwrap_err();
        assert!(error.to_string().contains("too large"), "{error}");
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
async fn statistics_can_be_reset() {
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
async fn faults_end_after_their_count_or_when_cleared() {
    let peer = Peer::start(1, RateLimit::Off).await;
    let chat_platform = peer.platforms("off").chat;
    peer.fault(json!({ "route": "GET /guilds/:guild/roles", "status": 503, "count": 9 })).await;
    assert!(chat_platform.guild_roles(crate::peer::now()).await.is_err());
    let cleared = peer.http.delete(format!("{}/control/faults", peer.url)).send().await.unwrap();
    assert_eq!(cleared.status(), 204);
    assert!(chat_platform.guild_roles(crate::peer::now()).await.is_ok());
}

#[tokio::test]
async fn the_simulator_stops_with_open_connections() {
    let mut peer = Peer::start(1, RateLimit::Off).await;
    peer.stats().await;
    let stopped = peer.stop();
    let served = tokio::time::timeout(Duration::from_secs(3), stopped).await;
    assert!(served.is_ok(), "it no longer serves");
    assert!(peer.http.get(format!("{}/control/stats", peer.url)).send().await.is_err());
}

#[tokio::test]
async fn the_state_counts_updates_and_changes() {
    let peer = Peer::start(2, RateLimit::Off).await;
    let platform = peer.platforms("off").chat;
    let (one, role) = (chat(1), crate::peer::role(crate::peer::OFFICER_ROLE));
    for _ in 0..3 {
        platform.add_role(crate::peer::now(), one, role, "test").await.unwrap();
    }
    let update = MemberUpdate { roles: Some(vec![role]), nick: Some(Some("m1".to_owned())) };
    for _ in 0..2 {
        platform.update_member(crate::peer::now(), one, update.clone(), "test").await.unwrap();
    }
    // A refused change is not counted.
    let forbidden = crate::peer::role(crate::peer::ADMIN_ROLE);
    assert!(platform.add_role(crate::peer::now(), one, forbidden, "test").await.is_err());
    let url = format!("{}/control/chat/guilds/{GUILD}/state", peer.url);
    let state: Value = peer.http.get(url).send().await.unwrap().json().await.unwrap();
    let untouched = json!({ "chat_id": chat(0), "nick": "m0", "roles": [MEMBER_ROLE.to_string()],
        "updates": 0, "changing_updates": 0 });
    let touched =
        json!({ "chat_id": one, "nick": "m1", "roles": [role], "updates": 5, "changing_updates": 2 });
    assert_eq!(state, json!({ "members": [untouched, touched], "channels": [], "bans": [] }));
}

#[tokio::test]
async fn a_request_takes_effect_after_its_sender_disconnects() {
    let peer = Peer::start(1, RateLimit::Off).await;
    peer.fault(json!({ "route": "PATCH /guilds/:guild/members/:user", "hang_ms": 1000 })).await;
    let platform = peer.platforms("off").chat;
    let update = MemberUpdate { roles: None, nick: Some(Some("late".to_owned())) };
    let sending =
        tokio::spawn(
            async move { platform.update_member(crate::peer::now(), chat(0), update, "test").await },
        );
    let arrived = async || (peer.stats().await["chat_requests"] == 1).then_some(());
    eventually("the request arrives", Duration::from_secs(10), arrived).await;
    sending.abort();
    assert!(sending.await.is_err_and(|error| error.is_cancelled()), "answered before it was cut");
    let changed = async || (peer.member(0).await["nick"] == "late").then_some(());
    eventually("the change without its sender", Duration::from_secs(10), changed).await;
}
