//! Game accounts that the chat platform vouches for: verified connections of the person who signs in.

use entities::PlayId;
use platforms::{PlatformError, Player, SignInError};
use serde_json::{Value, json};
use simulator::RateLimit;
use twilight_model::user::Connection;

use crate::peer::{Peer, chat, play};
use crate::sign_in::{REDIRECT, authorize, begun, now, person, sign_in};

const CONNECTIONS: &str = "GET /users/@me/connections";

fn connection(platform: &str, id: impl ToString, verified: bool, revoked: bool) -> Value {
    json!({ "type": platform, "id": id.to_string(), "name": "n", "verified": verified, "revoked": revoked })
}

async fn connect(peer: &Peer, n: i64, connections: Value) {
    let body = json!({ "chat_id": chat(n), "connections": connections });
    assert_eq!(peer.post("/control/connections", body).await.0, 204);
}

fn proven(id: PlayId) -> Player {
    Player { id, name: "n".to_owned(), created_at: None }
}

#[tokio::test]
async fn verified_connections_prove_game_accounts() {
    let peer = Peer::start(3, RateLimit::Off).await;
    let sign_in = sign_in(&peer);
    let one = connection("roblox", play(1), true, false);
    let listed = [
        (0, json!([]), vec![]),
        (1, json!([&one]), vec![proven(play(1))]),
        (1, json!([one, connection("roblox", play(2), true, false)]), vec![proven(play(1)), proven(play(2))]),
        (2, json!([connection("roblox", play(2), false, false)]), vec![]),
        (2, json!([connection("roblox", play(2), true, true)]), vec![]),
        (2, json!([connection("steam", 7, true, false), connection("roblox", "x", true, false)]), vec![]),
    ];
    for (n, connections, players) in listed {
        connect(&peer, n, connections.clone()).await;
        let attempt = sign_in.authorize_url_with_connections(REDIRECT, now());
        let code = authorize(&attempt, n).await;
        let begun = begun(&sign_in, &attempt);
        let (who, found) = sign_in.finish_with_connections(&code, &begun, REDIRECT).await.unwrap();
        assert_eq!((who.user, found), (person(n), players), "{connections}");
    }
}

#[tokio::test]
async fn an_attempt_of_the_console_asks_for_no_connections() {
    let peer = Peer::start(1, RateLimit::Off).await;
    let sign_in = sign_in(&peer);
    let plain = sign_in.authorize_url(REDIRECT, now());
    let asking = sign_in.authorize_url_with_connections(REDIRECT, now());
    assert!(plain.url.contains("scope=identify+guilds&"), "{}", plain.url);
    assert!(asking.url.contains("scope=identify+guilds+connections&"), "{}", asking.url);
    sign_in.finish(&authorize(&plain, 0).await, &begun(&sign_in, &plain), REDIRECT).await.unwrap();
    assert_eq!(peer.stats().await["requests"][CONNECTIONS], Value::Null);
    // A person may take a scope out of the URL.
    let code = authorize(&plain, 0).await;
    let refused = sign_in.finish_with_connections(&code, &begun(&sign_in, &plain), REDIRECT).await;
    assert_eq!(refused, Err(SignInError::Unauthorized));
}

#[tokio::test]
async fn connections_that_cannot_be_read_are_no_empty_list() {
    let peer = Peer::start(1, RateLimit::Off).await;
    let sign_in = sign_in(&peer);
    peer.fault(json!({ "route": CONNECTIONS, "status": 500 })).await;
    let attempt = sign_in.authorize_url_with_connections(REDIRECT, now());
    let code = authorize(&attempt, 0).await;
    let failed = sign_in.finish_with_connections(&code, &begun(&sign_in, &attempt), REDIRECT).await;
    let cause = "it answered 500".to_owned();
    assert_eq!(failed, Err(PlatformError::Unavailable { route: CONNECTIONS, cause }.into()));
}

#[tokio::test]
async fn connections_have_the_platforms_form() {
    let peer = Peer::start(1, RateLimit::Off).await;
    connect(&peer, 0, json!([connection("roblox", play(1), true, false)])).await;
    let token = crate::sign_in::token(&peer, 0, "connections").await;
    let request = peer.http.get(format!("{}/api/v10/users/@me/connections", peer.url)).bearer_auth(token);
    let answer: Vec<Connection> = request.send().await.unwrap().json().await.unwrap();
    assert_eq!((answer[0].kind.as_str(), &answer[0].id), ("roblox", &play(1).to_string()));
    let nameless = crate::sign_in::token(&peer, 0, "identify").await;
    let request = peer.http.get(format!("{}/api/v10/users/@me/connections", peer.url)).bearer_auth(nameless);
    assert_eq!(request.send().await.unwrap().status(), 401);
}
