//! Messages that the bot sends by itself.

use reqwest::Method;
use serde_json::{Value, json};
use twilight_model::channel::{Channel, Message};

use crate::application::App;
use crate::peer::{GUILD, chat};

#[tokio::test]
async fn a_person_has_one_direct_channel() {
    let app = App::without_endpoint().await;
    let open =
        async |id: Value| app.bot(Method::POST, "/users/@me/channels", json!({ "recipient_id": id })).await;
    let (status, channel) = open(json!(chat(0))).await;
    assert_eq!(
        (status, &channel["type"], &channel["recipients"][0]["id"]),
        (200, &json!(1), &json!(chat(0)))
    );
    let _: Channel = serde_json::from_value(channel.clone()).unwrap();
    assert_eq!(open(json!(chat(0))).await.1, channel);
    assert_ne!(open(json!(chat(1))).await.1["id"], channel["id"]);
    assert_eq!(open(json!(chat(9))).await.1["code"], 50033);
    assert_eq!(open(Value::Null).await.1["code"], 50035);
    let path = format!("/channels/{}/messages", channel["id"].as_str().unwrap());
    let button = json!({ "type": 2, "style": 5, "label": "l", "url": "https://example.org/" });
    let body = json!({ "content": "hello <@1>", "embeds": [{ "description": "d" }], "allowed_mentions": { "parse": [] },
                       "components": [{ "type": 1, "components": [button] }] });
    let (status, sent) = app.bot(Method::POST, &path, body).await;
    assert_eq!((status, &sent["content"]), (200, &json!("hello <@1>")), "{sent}");
    let _: Message = serde_json::from_value(sent.clone()).unwrap();
    app.bot(Method::POST, &path, json!({ "content": "second" })).await;
    let listed = app.control(&format!("/messages?chat_id={}", chat(0))).await;
    let contents: Vec<&Value> =
        listed["messages"].as_array().unwrap().iter().map(|one| &one["content"]).collect();
    assert_eq!(contents, ["hello <@1>", "second"]);
    assert_eq!(listed["messages"][0]["allowed_mentions"], json!({ "parse": [] }));
    assert_eq!(app.control(&format!("/messages?chat_id={}", chat(1))).await["messages"], json!([]));
    let closed = json!({ "chat_id": chat(0), "closed": true });
    assert_eq!(app.peer.post("/control/direct-messages", closed).await.0, 204);
    let (status, refused) = app.bot(Method::POST, &path, json!({ "content": "x" })).await;
    assert_eq!((status, &refused["code"]), (403, &json!(50007)));
}

#[tokio::test]
async fn channels_of_a_guild_take_messages() {
    let app = App::without_endpoint().await;
    let general = format!("/channels/{GUILD}/messages");
    assert_eq!(app.bot(Method::POST, &general, json!({ "content": "hi" })).await.0, 200);
    assert_eq!(app.control(&format!("/messages?channel_id={GUILD}")).await["messages"][0]["content"], "hi");
    for (path, body, status, code) in [
        ("/channels/5/messages", json!({ "content": "x" }), 404, 10003),
        (&general, json!({}), 400, 50006),
        (&general, json!({ "content": "x".repeat(2001) }), 400, 50035),
    ] {
        let (answered, answer) = app.bot(Method::POST, path, body).await;
        assert_eq!((answered, &answer["code"]), (status, &json!(code)), "{answer}");
    }
    assert_eq!(app.open(Method::POST, &general, json!({ "content": "x" })).await.0, 401);
    let url = format!("{}/control/messages", app.peer.url);
    assert_eq!(app.peer.http.get(url).send().await.unwrap().status(), 400);
}
