//! Users of the game platform by name, and pictures of both platforms.

use reqwest::Method;
use serde_json::{Value, json};

use crate::application::App;
use crate::peer::{GUILD, Peer, chat, play};

#[tokio::test]
async fn users_are_found_by_their_names_in_any_case() {
    let peer = Peer::start(3, simulator::RateLimit::Off).await;
    let ask = async |names: Value| {
        peer.post("/v1/usernames/users", json!({ "usernames": names, "excludeBannedUsers": true })).await
    };
    let found = json!({ "requestedUsername": "P1", "hasVerifiedBadge": false, "id": play(1), "name": "p1",
                        "displayName": "p1" });
    assert_eq!(ask(json!(["P1", "nobody"])).await, (200, json!({ "data": [found] })));
    assert_eq!(ask(json!(vec!["a"; 101])).await.0, 400);
    assert_eq!(ask(json!("p1")).await.0, 400);
}

#[tokio::test]
async fn headshots_lead_to_pictures() {
    let app = App::without_endpoint().await;
    let url = |query: &str| format!("{}/v1/users/avatar-headshot?{query}", app.peer.url);
    let get = async |url: String| app.peer.http.get(url).send().await.unwrap();
    let query = format!("userIds={},{}&size=150x150&format=Png&isCircular=false", play(0), play(99));
    let body: Value = get(url(&query)).await.json().await.unwrap();
    let image = format!("{}/headshots/{}.png", app.peer.url, play(0));
    let one = json!({ "targetId": play(0), "state": "Completed", "imageUrl": image, "version": "TN3" });
    assert_eq!(body, json!({ "data": [one] }));
    let picture = get(image).await;
    assert_eq!(picture.headers()["content-type"], "image/png");
    assert!(picture.bytes().await.unwrap().starts_with(b"\x89PNG"));
    for wrong in ["userIds=x&size=150x150", "size=150x150", "userIds=1&size=1x1", "userIds=1"] {
        assert_eq!(get(url(wrong)).await.status(), 400, "{wrong}");
    }
}

#[tokio::test]
async fn people_and_guilds_have_pictures() {
    let app = App::without_endpoint().await;
    let (_, guild) = app.bot(Method::GET, &format!("/guilds/{GUILD}"), Value::Null).await;
    let (_, user) = app.bot(Method::GET, &format!("/users/{}", chat(1)), Value::Null).await;
    let icon = format!("/icons/{GUILD}/{}.png", guild["icon"].as_str().unwrap());
    let avatar = format!("/avatars/{}/{}.png", chat(1), user["avatar"].as_str().unwrap());
    for (path, status) in [(&*icon, 200), (&*avatar, 200), ("/avatars/5/x.png", 404)] {
        let answer = app.peer.http.get(format!("{}{path}", app.peer.url)).send().await.unwrap();
        assert_eq!(answer.status().as_u16(), status, "{path}");
    }
    let added = json!({ "guild_id": GUILD.to_string(), "chat_id": chat(9) });
    assert_eq!(app.peer.post("/control/members", added).await.0, 204);
    let (_, bare) = app.bot(Method::GET, &format!("/users/{}", chat(9)), Value::Null).await;
    assert_eq!(bare["avatar"], Value::Null);
}

#[tokio::test]
async fn games_are_named_by_their_universes() {
    let peer = Peer::start(3, simulator::RateLimit::Off).await;
    let ask = async |query: String| {
        let answer = peer.http.get(format!("{}/v1/games{query}", peer.url)).send().await.unwrap();
        (answer.status().as_u16(), answer.json::<Value>().await.unwrap())
    };
    // This simulator has no games.
    assert_eq!(ask("?universeIds=13058,7".to_owned()).await, (200, json!({ "data": [] })));
    let many = vec!["7"; 51].join(",");
    for wrong in [String::new(), "?universeIds=x".to_owned(), format!("?universeIds={many}")] {
        assert_eq!(ask(wrong.clone()).await.0, 400, "{wrong}");
    }
}
