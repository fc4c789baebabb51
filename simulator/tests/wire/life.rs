//! The life of the communities, by the control side.

use std::time::Duration;

use serde_json::{Value, json};
use simulator::{RateLimit, SimulatorOptions};
use testkit::eventually;

use crate::peer::{GROUP, GUILD, MEMBER_ROLE, OFFICER_ROLE, Peer, chat, play, role};

async fn report(peer: &Peer) -> Value {
    peer.http.get(format!("{}/control/life", peer.url)).send().await.unwrap().json().await.unwrap()
}

#[tokio::test]
async fn bad_input_names_the_field() {
    let peer = Peer::start(1, RateLimit::Off).await;
    let unknown = json!({ "kind": "promoted", "change": { "group_id": GROUP, "play_id": 4, "ranks": [11] } });
    for (body, field) in [
        (json!({}), "changes_an_hour"),
        (json!({ "surprise": 1 }), "surprise"),
        (json!({ "steps": 10_001 }), "steps"),
        (json!({ "steps": -1 }), "invalid value"),
        (json!({ "changes_an_hour": 360_001 }), "changes_an_hour"),
        (json!({ "spare": ["x"] }), "digits"),
        (json!({ "changes": [{ "kind": "married", "change": {} }] }), "married"),
        (json!({ "changes": [unknown] }), "number 0: ranks"),
    ] {
        let (status, answer) = peer.post("/control/life", body.clone()).await;
        let message = answer["message"].as_str().unwrap_or_default();
        assert!(status == 400 && message.contains(field), "{body}: {status} {message}");
    }
}

#[tokio::test]
async fn changes_at_once_are_made_counted_and_repeated_by_their_seed() {
    let (one, other) = (Peer::start(30, RateLimit::Off).await, Peer::start(30, RateLimit::Off).await);
    let steps = json!({ "seed": 7, "spare": [chat(1)], "steps": 50 });
    let (status, made) = one.post("/control/life", steps.clone()).await;
    assert_eq!((status, made["changes"].as_array().unwrap().len()), (200, 50));
    assert_eq!(other.post("/control/life", steps).await.1, made);
    let state = async |peer: &Peer| -> Value {
        let url = format!("{}/control/chat/guilds/{GUILD}/state", peer.url);
        peer.http.get(url).send().await.unwrap().json().await.unwrap()
    };
    assert_eq!(state(&one).await, state(&other).await);
    let report = report(&one).await;
    let counted: u64 =
        report["counts"].as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum();
    assert_eq!((&report["changes"], counted, &report["seed"]), (&json!(50), 50, &json!(7)));
    assert_eq!(report["last"].as_array().unwrap().last(), made["changes"].as_array().unwrap().last());
    // The same changes by name, where the seed is another.
    let third = Peer::start(30, RateLimit::Off).await;
    assert_eq!(third.post("/control/life", made).await.0, 200);
    assert_eq!(state(&third).await, state(&one).await);
}

#[tokio::test]
async fn what_the_bot_undoes_is_reported() {
    let peer = Peer::start(3, RateLimit::Off).await;
    let given = json!({ "guild_id": GUILD.to_string(), "chat_id": chat(2),
                        "roles": [MEMBER_ROLE.to_string(), OFFICER_ROLE.to_string()], "nick": "away" });
    let changes = json!({ "changes": [{ "kind": "role_given", "change": given }] });
    assert_eq!(peer.post("/control/life", changes).await.0, 200);
    assert_eq!(report(&peer).await["undone"], json!([]));
    let platform = peer.platforms("off").chat;
    platform.remove_role(crate::peer::now(), chat(2), role(OFFICER_ROLE), "test").await.unwrap();
    let undone =
        json!([{ "guild_id": GUILD.to_string(), "chat_id": chat(2), "what": OFFICER_ROLE.to_string() }]);
    assert_eq!(report(&peer).await["undone"], undone);
    // Whoever left holds nothing.
    let left = json!({ "guild_id": GUILD.to_string(), "chat_id": chat(2), "remove": true });
    assert_eq!(peer.post("/control/members", left).await.0, 204);
    assert_eq!(report(&peer).await["undone"], json!([]));
}

#[tokio::test]
async fn it_goes_by_itself_at_its_pace_until_that_is_zero() {
    let peer = Peer::with(20, SimulatorOptions { life: 360_000, ..SimulatorOptions::default() }).await;
    let changes = async || report(&peer).await["changes"].as_u64().unwrap();
    let lively = async || (changes().await > 20).then_some(());
    eventually("it lives by itself", Duration::from_secs(10), lively).await;
    assert_eq!(peer.post("/control/life", json!({ "changes_an_hour": 0 })).await.0, 200);
    let rename = json!({ "play_id": play(1), "username": "anew" });
    let rename = json!({ "changes": [{ "kind": "renamed", "change": rename }] });
    let before = changes().await;
    assert_eq!(peer.post("/control/life", rename).await.0, 200);
    assert_eq!(changes().await, before + 1);
}
