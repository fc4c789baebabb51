//! What the simulator says must parse as the types another Discord client uses, so that it cannot drift towards ours.

use platforms::simulator::RateLimit;
use serde_json::{Value, json};
use twilight_model::channel::Channel;
use twilight_model::guild::{Member, Role};
use twilight_model::user::CurrentUser;

use crate::peer::{GUILD, Peer, chat};

async fn get(peer: &Peer, path: &str) -> String {
    let url = format!("{}/api/v10{path}", peer.url);
    peer.http.get(url).header("authorization", "Bot t").send().await.unwrap().text().await.unwrap()
}

#[tokio::test]
async fn objects_parse_as_twilight_types() {
    let peer = Peer::start(3, RateLimit::Discord).await;
    let bot: CurrentUser = serde_json::from_str(&get(&peer, "/users/@me").await).unwrap();
    let roles: Vec<Role> =
        serde_json::from_str(&get(&peer, &format!("/guilds/{GUILD}/roles")).await).unwrap();
    let members = get(&peer, &format!("/guilds/{GUILD}/members?limit=1000")).await;
    let members: Vec<Member> = serde_json::from_str(&members).unwrap();
    assert_eq!((roles.len(), members.len()), (5, 4));
    assert_eq!(members[0].user.id, bot.id);
    let url = format!("{}/guilds/{GUILD}/channels", peer.url);
    let request =
        peer.http.post(url).header("authorization", "Bot t").json(&json!({ "name": "a b", "type": 0 }));
    let channel: Channel =
        serde_json::from_str(&request.send().await.unwrap().text().await.unwrap()).unwrap();
    assert_eq!(channel.name.as_deref(), Some("a-b"));
}

#[tokio::test]
async fn limits_and_errors_look_like_the_real_ones() {
    let peer = Peer::start(1, RateLimit::Discord).await;
    let url = format!("{}/guilds/{GUILD}/members/{}", peer.url, chat(5));
    let get = || peer.http.get(&url).header("authorization", "Bot t").send();
    let missing = get().await.unwrap();
    assert_eq!(missing.headers()["x-ratelimit-limit"], "30");
    assert_eq!(missing.headers()["x-ratelimit-remaining"], "29");
    assert!(missing.headers().contains_key("x-ratelimit-reset-after"));
    assert_eq!(missing.json::<Value>().await.unwrap(), json!({ "code": 10007, "message": "Unknown Member" }));
    let limited = loop {
        let response = get().await.unwrap();
        if response.status() == 429 {
            break response;
        }
    };
    assert_eq!(limited.headers()["x-ratelimit-scope"], "user");
    assert_eq!(limited.headers()["retry-after"], "1");
    let body: Value = limited.json().await.unwrap();
    assert_eq!((&body["global"], body["retry_after"].as_f64().unwrap() <= 1.0), (&json!(false), true));
}
