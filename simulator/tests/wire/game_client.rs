//! The part of the page in which a person plays the game: codes, and the player's profile.

use reqwest::Method;
use serde_json::{Value, json};

use crate::application::App;
use crate::peer::{GUILD, chat, play};

/// The page of the first member as this player; `body`: a form of it.
async fn page(app: &App, player: &str, body: Option<&'static str>) -> String {
    let url = format!("{}/client?guild={GUILD}&user={}&player={player}", app.peer.url, chat(0));
    let request = match body {
        Some(body) => app.peer.http.post(url).body(body),
        None => app.peer.http.get(url),
    };
    let answer = request.send().await.unwrap();
    assert_eq!(answer.status(), 200);
    answer.text().await.unwrap()
}

/// A game whose codes the application takes.
async fn start() -> App {
    let app = App::start().await;
    app.accepts_anything();
    let base = app.url.trim_end_matches("/chat/interactions");
    let game = json!({ "api_url": base, "key": "gh_key" });
    assert_eq!(app.peer.post("/control/game", game).await.0, 204);
    app
}

fn confirmed(ended: Value) -> Value {
    json!({ "status": "success", "data": { "chat_id": "1", "chat_name": "<Ada>", "ended": ended } })
}

#[tokio::test]
async fn a_code_is_confirmed_after_a_yes() {
    let app = start().await;
    let html = page(&app, "P1", None).await;
    assert!(html.contains("value=\"p1\"") && html.contains("<input name=\"code\""), "{html}");
    app.answers(200, confirmed(Value::Null));
    let html = page(&app, "p1", Some("code=AB+cd")).await;
    assert!(html.contains("Link &lt;Ada&gt; with your account?"), "{html}");
    assert!(
        html.contains("name=\"code\" value=\"AB cd\"") && html.contains(">Yes<") && html.contains(">No<")
    );
    let asked = json!({ "code": "AB cd", "play_id": play(1), "play_username": "p1", "confirm": false });
    assert_eq!(app.last(), asked);
    for (state, outcome, said) in [
        ("ended", json!("linked"), "Linked with &lt;Ada&gt;."),
        ("held", Value::Null, "Staff decide about the link with &lt;Ada&gt;: flagged."),
        ("ended", json!("rejected"), "Not linked with &lt;Ada&gt;: flagged."),
    ] {
        let attempt = json!({ "state": state, "outcome": outcome });
        app.answers(200, confirmed(json!({ "attempt": attempt, "reason": "flagged" })));
        let html = page(&app, "p1", Some("code=ABCD&agrees=yes")).await;
        assert!(html.contains(&format!("<p role=\"status\">{said}</p>")), "{html}");
        assert_eq!(app.last()["confirm"], true);
    }
    app.answers(404, json!({ "status": "error", "message": "no such code" }));
    assert!(page(&app, "p1", Some("code=X")).await.contains("no such code"));
}

#[tokio::test]
async fn a_game_sends_codes_to_this_machine_only() {
    let app = App::start().await;
    for api_url in ["https://127.0.0.1", "http://example.org", "http://10.0.0.1:80", "127.0.0.1:80", ""] {
        let (status, body) = app.peer.post("/control/game", json!({ "api_url": api_url, "key": "k" })).await;
        assert!(
            status == 400 && body["message"].as_str().unwrap().starts_with("api_url"),
            "{api_url}: {body}"
        );
    }
    assert!(page(&app, "p1", Some("code=X")).await.contains("POST /control/game"));
    for api_url in ["http://localhost:1", "http://[::1]:1", "http://127.0.0.1:1/"] {
        let (status, _) = app.peer.post("/control/game", json!({ "api_url": api_url, "key": "k" })).await;
        assert_eq!(status, 204, "{api_url}");
    }
    assert!(page(&app, "p1", Some("code=X")).await.contains("The game gets no answer."));
    let html = page(&app, "nobody", Some("code=X")).await;
    assert!(html.contains("name=\"player\"") && !html.contains("name=\"code\""), "{html}");
}

#[tokio::test]
async fn the_profile_of_the_player_is_edited_on_the_page() {
    let app = App::start().await;
    let html = page(&app, "p1", Some("profile=river+%3Cmaple%3E%0D%0Abye")).await;
    assert!(html.contains("river &lt;maple&gt;\nbye</textarea>"), "{html}");
    assert!(html.contains("value=\"p1\""), "{html}");
    let path = format!("/v1/users/{}", play(1));
    let profile = app.peer.http.request(Method::GET, format!("{}{path}", app.peer.url)).send().await.unwrap();
    let profile: Value = profile.json().await.unwrap();
    assert_eq!(profile["description"], "river <maple>\nbye");
}
