//! What answers to interactions do to what a person sees.

use reqwest::Method;
use serde_json::{Value, json};
use twilight_model::channel::Message;

use crate::application::{App, BOT};
use crate::peer::{GUILD, MEMBER_ROLE, chat};

fn button(id: &str) -> Value {
    json!({ "type": 2, "style": 1, "label": "Press", "custom_id": id })
}

fn row(component: Value) -> Value {
    json!([{ "type": 1, "components": [component] }])
}

fn message(data: Value) -> Value {
    json!({ "type": 4, "data": data })
}

#[tokio::test]
async fn a_message_stands_in_the_channel_unless_it_is_ephemeral() {
    let app = App::start().await;
    let embed =
        json!({ "type": "rich", "title": "t", "color": 255, "fields": [{ "name": "n", "value": "v" }] });
    let open = app.ban(message(json!({ "content": "open", "embeds": [embed] }))).await;
    let ephemeral = app.ban(message(json!({ "content": "for you", "flags": 64 }))).await;
    let seen = app.seen(&open).await;
    assert_eq!((&seen["content"], &seen["embeds"]), (&json!("open"), &json!([embed])));
    for (field, value) in [("thinking", json!(false)), ("failed", Value::Null), ("edits", json!(0))] {
        assert_eq!(seen[field], value, "{field}");
    }
    assert_eq!(app.seen(&ephemeral).await["ephemeral"], true);
    let listed = app.control(&format!("/messages?channel_id={GUILD}")).await;
    assert_eq!(listed["messages"].as_array().unwrap().len(), 1, "{listed}");
    assert_eq!(listed["messages"][0]["message_id"], open["message_id"]);
    assert_eq!(app.control("/interactions/5").await["message"], "unknown interaction");
}

#[tokio::test]
async fn a_deferred_answer_is_thinking_until_it_is_filled() {
    let app = App::start().await;
    let report = app.ban(json!({ "type": 5, "data": { "flags": 64 } })).await;
    let seen = app.seen(&report).await;
    assert_eq!((&seen["thinking"], &seen["ephemeral"]), (&json!(true), &json!(true)));
    let before = app.peer.stats().await["chat_requests"].clone();
    let original = format!("{}/messages/@original", app.webhook());
    let (status, body) = app.open(Method::PATCH, &original, json!({ "content": "done" })).await;
    assert_eq!((status, &body["content"], &body["flags"]), (200, &json!("done"), &json!(64)));
    let _: Message = serde_json::from_value(body.clone()).unwrap();
    assert_eq!(app.open(Method::GET, &original, Value::Null).await, (200, body));
    let seen = app.seen(&report).await;
    assert_eq!(
        [&seen["thinking"], &seen["content"], &seen["edits"]],
        [&json!(false), &json!("done"), &json!(1)]
    );
    let (status, further) = app.open(Method::POST, &app.webhook(), json!({ "content": "more" })).await;
    assert_eq!((status, &further["content"]), (200, &json!("more")));
    assert_eq!(app.seen(&report).await["followups"][0]["content"], "more");
    assert_eq!(app.open(Method::DELETE, &original, Value::Null).await.0, 204);
    assert_eq!(app.open(Method::GET, &original, Value::Null).await.1["code"], 10008);
    assert_eq!(app.seen(&report).await["message_id"], Value::Null);
    assert_eq!(app.peer.stats().await["chat_requests"], before, "answers are not requests of the bot");
}

#[tokio::test]
async fn the_first_further_message_takes_the_place_of_a_deferred_answer() {
    let app = App::start().await;
    let report = app.ban(json!({ "type": 5 })).await;
    app.open(Method::POST, &app.webhook(), json!({ "content": "here" })).await;
    let seen = app.seen(&report).await;
    assert_eq!((&seen["content"], &seen["followups"]), (&json!("here"), &json!([])));
}

#[tokio::test]
async fn the_token_is_valid_after_the_first_answer_for_fifteen_minutes() {
    let app = App::start().await;
    let unknown = format!("/webhooks/{BOT}/nothing/messages/@original");
    let (status, body) = app.open(Method::GET, &unknown, Value::Null).await;
    assert_eq!((status, &body["code"]), (401, &json!(50027)));
    // Without an answer in its queue the application fails.
    app.interact(crate::application::ban()).await;
    let original = format!("{}/messages/@original", app.webhook());
    for (method, path) in
        [(Method::GET, &original), (Method::PATCH, &original), (Method::POST, &app.webhook())]
    {
        let (status, body) = app.open(method.clone(), path, json!({ "content": "x" })).await;
        assert_eq!((status, &body["code"]), (404, &json!(10015)), "{method}");
    }
    let report = app.ban(json!({ "type": 5 })).await;
    let elsewhere = app.webhook().replace(BOT, "5");
    assert_eq!(app.open(Method::POST, &elsewhere, json!({ "content": "x" })).await.1["code"], 10015);
    let empty = app.open(Method::POST, &app.webhook(), json!({})).await;
    assert_eq!((empty.0, &empty.1["code"]), (400, &json!(50006)));
    let id = report["interaction_id"].as_str().unwrap();
    let token = format!("{}/control/interactions/{id}/token", app.peer.url);
    assert_eq!(app.peer.http.delete(token).send().await.unwrap().status(), 204);
    let over = app.open(Method::POST, &app.webhook(), json!({ "content": "x" })).await;
    assert_eq!((over.0, &over.1["code"]), (401, &json!(50027)));
}

#[tokio::test]
async fn what_the_platform_refuses_makes_the_interaction_fail() {
    let app = App::start().await;
    let six = (0..6).map(|n| button(&n.to_string())).collect::<Vec<_>>();
    for (answer, why) in [
        (message(json!({ "content": "x".repeat(2001) })), "2000 or fewer"),
        (message(json!({ "content": "" })), "empty message"),
        (message(json!({ "embeds": [{ "title": "x".repeat(257) }] })), "256 or fewer"),
        (message(json!({ "components": [{ "type": 1, "components": six }] })), "between 1 and 5"),
        (message(json!({ "components": row(button(&"x".repeat(101))) })), "between 1 and 100"),
        (json!({ "type": 6 }), "does not fit"),
        (json!({ "type": 7, "data": { "content": "x" } }), "does not fit"),
        (json!({ "type": 9, "data": { "custom_id": "m", "title": "t" } }), "components"),
        (json!({ "type": 99 }), "does not fit"),
        (json!([]), "does not fit"),
    ] {
        let report = app.ban(answer.clone()).await;
        let failed = app.seen(&report).await["failed"].to_string();
        assert!(failed.contains(why), "{answer}: {failed}");
        assert_eq!(report["message_id"], Value::Null);
    }
    let late = app.ban(json!("silent")).await;
    assert_eq!((&late["status"], &late["answer"]), (&Value::Null, &Value::Null));
    assert!(late["took_ms"].as_u64().unwrap() >= 3000, "{late}");
    assert!(app.seen(&late).await["failed"].to_string().contains("within 3 seconds"));
}

#[tokio::test]
async fn a_button_changes_its_message() {
    let app = App::start().await;
    let shown = app.ban(message(json!({ "content": "sure?", "components": row(button("yes:1")) }))).await;
    let press = json!({ "message_id": shown["message_id"], "press": "yes:1" });
    app.answers(200, json!({ "type": 7, "data": { "content": "done", "components": [] } }));
    let pressed = app.interact(press.clone()).await;
    assert_eq!(pressed["message_id"], shown["message_id"]);
    let sent = app.last();
    assert_eq!(
        (&sent["type"], &sent["data"]),
        (&json!(3), &json!({ "custom_id": "yes:1", "component_type": 2, "id": 2 }))
    );
    assert_eq!(sent["message"]["id"], shown["message_id"]);
    let _: twilight_model::application::interaction::Interaction = serde_json::from_value(sent).unwrap();
    let seen = app.seen(&shown).await;
    assert_eq!(
        [&seen["content"], &seen["components"], &seen["edits"]],
        [&json!("done"), &json!([]), &json!(1)]
    );
    let again = app
        .peer
        .post(
            "/control/interactions",
            json!({ "user_id": chat(0), "message_id": shown["message_id"], "press": "yes:1" }),
        )
        .await;
    assert_eq!(again.0, 400, "the button is gone");
}

#[tokio::test]
async fn others_cannot_press_what_they_do_not_see() {
    let app = App::start().await;
    let data = json!({ "content": "yours", "flags": 64, "components": row(button("a")) });
    let shown = app.ban(message(data)).await;
    let press = json!({ "user_id": chat(1), "message_id": shown["message_id"], "press": "a" });
    assert_eq!(app.peer.post("/control/interactions", press).await.0, 400);
}

#[tokio::test]
async fn a_deferred_update_changes_the_message_later() {
    let app = App::start().await;
    let shown = app.ban(message(json!({ "content": "a", "components": row(button("b")) }))).await;
    app.answers(200, json!({ "type": 6 }));
    app.interact(json!({ "message_id": shown["message_id"], "press": "b" })).await;
    assert_eq!(app.seen(&shown).await["thinking"], false);
    let original = format!("{}/messages/@original", app.webhook());
    app.open(Method::PATCH, &original, json!({ "content": "c" })).await;
    assert_eq!(app.seen(&shown).await["content"], "c");
}

#[tokio::test]
async fn selects_send_their_values() {
    let app = App::start().await;
    let options = json!([{ "label": "A", "value": "a" }, { "label": "B", "value": "b" }]);
    let texts = json!({ "type": 3, "custom_id": "texts", "options": options, "max_values": 2 });
    let roles = json!({ "type": 6, "custom_id": "roles" });
    let rows = json!([row(texts)[0], row(roles)[0]]);
    let shown = app.ban(message(json!({ "content": "choose", "components": rows }))).await;
    let choose = |id: &str, values: Value| json!({ "user_id": chat(0), "message_id": shown["message_id"], "press": id, "values": values });
    app.answers(200, json!({ "type": 6 }));
    app.interact(choose("texts", json!(["a", "b"]))).await;
    assert_eq!(
        app.last()["data"],
        json!({ "custom_id": "texts", "component_type": 3, "id": 2, "values": ["a", "b"] })
    );
    app.answers(200, json!({ "type": 6 }));
    app.interact(choose("roles", json!([MEMBER_ROLE.to_string()]))).await;
    assert_eq!(app.last()["data"]["resolved"]["roles"][MEMBER_ROLE.to_string()]["name"], "r1");
    for wrong in [
        choose("texts", json!(["c"])),
        choose("texts", json!([])),
        choose("roles", json!(["5"])),
        choose("roles", Value::Null),
    ] {
        let (status, body) = app.peer.post("/control/interactions", wrong.clone()).await;
        assert!(status == 400 && body.to_string().contains("values"), "{wrong}: {body}");
    }
}

#[tokio::test]
async fn a_modal_is_filled_and_submitted() {
    let app = App::start().await;
    let input = json!({ "type": 4, "custom_id": "why", "style": 2, "label": "Why", "max_length": 10 });
    let modal = json!({ "custom_id": "m:1", "title": "Reason", "components": row(input) });
    let shown = app.ban(json!({ "type": 9, "data": modal })).await;
    assert_eq!((&app.seen(&shown).await["modal"], &shown["message_id"]), (&modal, &Value::Null));
    let submit = |text: &str| json!({ "user_id": chat(0), "interaction_id": shown["interaction_id"], "submit": "m:1", "fields": { "why": text } });
    app.answers(200, message(json!({ "content": "thanks" })));
    let report = app.interact(submit("because")).await;
    let sent = app.last();
    let typed = json!([{ "type": 1, "id": 1,
        "components": [{ "type": 4, "id": 2, "custom_id": "why", "value": "because" }] }]);
    assert_eq!(
        (&sent["type"], &sent["data"]),
        (&json!(5), &json!({ "custom_id": "m:1", "components": typed }))
    );
    let _: twilight_model::application::interaction::Interaction = serde_json::from_value(sent).unwrap();
    assert_eq!(app.seen(&report).await["content"], "thanks");
    for wrong in ["", "much too long"] {
        assert_eq!(app.peer.post("/control/interactions", submit(wrong)).await.0, 400, "{wrong}");
    }
    // A modal cannot follow a modal.
    app.answers(200, json!({ "type": 9, "data": modal }));
    let second = app.interact(submit("because")).await;
    assert!(app.seen(&second).await["failed"].is_string());
}
