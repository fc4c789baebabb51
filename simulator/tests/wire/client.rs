//! The page on which a person plays the chat client.

use reqwest::Method;
use serde_json::{Value, json};

use crate::application::App;
use crate::peer::{GUILD, chat};

/// The page as this member sees it.
async fn page(app: &App, member: i64, query: &str) -> String {
    let url = format!("{}/client?guild={GUILD}&user={}{query}", app.peer.url, chat(member));
    let answer = app.peer.http.get(url).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    answer.text().await.unwrap()
}

/// Sends a form of the page, and returns the page that follows.
async fn send(app: &App, fields: &[(&str, &str)]) -> (u16, String) {
    let url = format!("{}/client?guild={GUILD}&user={}", app.peer.url, chat(0));
    let form = fields.iter().map(|(name, value)| format!("{name}={}", value.replace(' ', "+")));
    let body = form.collect::<Vec<_>>().join("&");
    let answer = app.peer.http.post(url).body(body).send().await.unwrap();
    (answer.status().as_u16(), answer.text().await.unwrap())
}

#[tokio::test]
async fn members_without_a_role_come_first_and_people_have_names() {
    let app = App::start().await;
    let bare = json!({ "guild_id": GUILD.to_string(), "chat_id": chat(2), "roles": [], "nick": "<new>" });
    assert_eq!(app.peer.post("/control/members", bare).await.0, 204);
    let answer = app.peer.http.get(format!("{}/client", app.peer.url)).send().await.unwrap();
    let html = answer.text().await.unwrap();
    let first = html.split("<select name=\"user\">").nth(1).unwrap();
    let chosen = format!("<option value=\"{}\" selected>&lt;new&gt; (no role)</option>", chat(2));
    assert!(first.starts_with(&chosen), "{html}");
    assert!(html.contains("Your roles: none") && !html.contains("<script"), "{html}");
    for wrong in ["guild=5", "user=5"] {
        let answer = app.peer.http.get(format!("{}/client?{wrong}", app.peer.url)).send().await.unwrap();
        assert_eq!(answer.status(), 404, "{wrong}");
    }
}

#[tokio::test]
async fn a_command_has_a_field_for_each_option() {
    let app = App::start().await;
    let html = page(&app, 0, "&command=ban").await;
    for part in [
        "command=setup+button",
        "<select name=\"option.user\" required>",
        ">m1</option>",
        "<input name=\"option.reason\"",
        "<input type=\"number\" name=\"option.days\" max=\"7\">",
        "<option value=\"true\">Yes</option>",
        "<option value=\"short\">Short</option>",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
    let user = chat(1).to_string();
    app.answers(200, json!({ "type": 4, "data": { "content": format!("<@{user}> & co"), "flags": 64 } }));
    let fields = [("command", "ban"), ("option.user", &user), ("option.reason", "a b"), ("option.days", "")];
    let (status, html) = send(&app, &fields).await;
    assert!(status == 200 && html.contains("<b>@m1</b> &amp; co"), "{html}");
    assert!(html.contains("Only you can see this."), "{html}");
    let options = app.last()["data"]["options"].clone();
    assert_eq!(options[1], json!({ "name": "reason", "type": 3, "value": "a b" }));
    assert_eq!(options.as_array().unwrap().len(), 2, "{options}");
    assert!(!page(&app, 1, "").await.contains("&amp; co"), "another person");
    let (status, html) = send(&app, &[("command", "ban")]).await;
    assert!(status == 400 && html.contains("user is required"), "{html}");
}

#[tokio::test]
async fn the_page_refreshes_itself_while_an_answer_is_thinking() {
    let app = App::start().await;
    app.answers(200, json!({ "type": 5 }));
    let (_, html) = send(&app, &[("command", "setup button")]).await;
    assert!(html.contains("http-equiv=\"refresh\" content=\"1\"") && html.contains("is thinking"), "{html}");
    let original = format!("{}/messages/@original", app.webhook());
    app.open(Method::PATCH, &original, json!({ "content": "done" })).await;
    assert!(!page(&app, 0, "").await.contains("http-equiv=\"refresh\""));
    // Without an answer in its queue the application fails.
    let (_, html) = send(&app, &[("command", "setup button")]).await;
    assert!(html.contains("<p role=\"alert\">The interaction failed: answered 500</p>"), "{html}");
}

#[tokio::test]
async fn buttons_selects_and_modals_are_forms() {
    let app = App::start().await;
    let row = |component: Value| json!({ "type": 1, "components": [component] });
    let select = json!({ "type": 3, "custom_id": "s", "max_values": 2,
                         "options": [{ "label": "A", "value": "a" }, { "label": "B", "value": "b" }] });
    let link = json!({ "type": 2, "style": 5, "label": "Open", "url": "https://example.org/?a=1&b=2" });
    let rows = json!([
        row(select),
        row(link),
        row(json!({ "type": 2, "style": 1, "label": "Go", "custom_id": "go" }))
    ]);
    let embed =
        json!({ "title": "T", "description": "D", "color": 255, "fields": [{ "name": "n", "value": "v" }] });
    app.answers(200, json!({ "type": 4, "data": { "embeds": [embed], "components": rows } }));
    let (_, html) = send(&app, &[("command", "setup button")]).await;
    for part in [
        "<button name=\"press\" value=\"go\">Go</button>",
        "href=\"https://example.org/?a=1&amp;b=2\" target=\"_blank\"",
        "<select name=\"values\" multiple>",
        "<blockquote style=\"border-color:#0000ff\"><p><strong>T</strong></p><p>D</p>",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
    let listed = app.control(&format!("/messages?channel_id={GUILD}")).await;
    let message = listed["messages"][0]["message_id"].as_str().unwrap().to_owned();
    app.answers(200, json!({ "type": 6 }));
    send(&app, &[("message", &message), ("values", "a"), ("values", "b"), ("press", "s")]).await;
    assert_eq!(app.last()["data"]["values"], json!(["a", "b"]));
    let input = json!({ "type": 4, "custom_id": "why", "style": 2, "label": "Why" });
    app.answers(
        200,
        json!({ "type": 9, "data": { "custom_id": "m", "title": "Reason", "components": [row(input)] } }),
    );
    let (_, html) = send(&app, &[("message", &message), ("press", "go")]).await;
    assert!(html.contains("<textarea rows=\"4\" name=\"field.why\""), "{html}");
    let interaction = html.split("name=\"interaction\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    app.answers(200, json!({ "type": 4, "data": { "content": "thanks" } }));
    let (_, html) = send(&app, &[("interaction", interaction), ("submit", "m"), ("field.why", "so")]).await;
    assert!(html.contains("<p>thanks</p>"), "{html}");
}

#[tokio::test]
async fn commands_need_their_permissions_and_direct_messages_are_shown() {
    let app = App::start().await;
    let secret = json!([{ "name": "secret", "description": "d", "default_member_permissions": "8" }]);
    let path = format!("/applications/{}/commands", crate::application::BOT);
    assert_eq!(app.bot(Method::PUT, &path, secret).await.0, 200);
    assert!(page(&app, 0, "").await.contains("command=secret"), "the owner");
    let html = page(&app, 1, "").await;
    assert!(html.contains("You have no commands here.") && !html.contains("command=secret"), "{html}");
    let (_, channel) = app.bot(Method::POST, "/users/@me/channels", json!({ "recipient_id": chat(1) })).await;
    let path = format!("/channels/{}/messages", channel["id"].as_str().unwrap());
    app.bot(Method::POST, &path, json!({ "content": "for one" })).await;
    assert!(page(&app, 1, "").await.contains("for one"));
    assert!(!page(&app, 0, "").await.contains("for one"));
}
