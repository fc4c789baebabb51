//! Commands of people, and the signatures and payloads with which they reach the application.

use reqwest::Method;
use serde_json::{Value, json};
use simulator::Application;
use twilight_model::application::interaction::{Interaction, InteractionData, InteractionType};

use crate::application::{App, BOT, ban};
use crate::peer::{GUILD, OFFICER_ROLE, chat};

#[tokio::test]
async fn an_endpoint_must_answer_pings_and_refuse_wrong_signatures() {
    let app = App::without_endpoint().await;
    let (_, shown) = app.bot(Method::GET, "/applications/@me", Value::Null).await;
    assert_eq!(
        [&shown["id"], &shown["verify_key"], &shown["interactions_endpoint_url"], &shown["redirect_uris"]],
        [&json!(BOT), &json!(Application::PUBLIC_KEY), &Value::Null, &json!([])]
    );
    assert_eq!(app.open(Method::PATCH, "/applications/@me", json!({})).await.0, 401);
    for wrong in [json!("http://127.0.0.1:1/"), json!("nowhere"), json!(7), json!("https://127.0.0.1:1/")] {
        let (status, body) = app.set_endpoint(wrong).await;
        assert_eq!((status, &body["code"]), (400, &json!(50035)), "{body}");
        let errors = body["errors"]["interactions_endpoint_url"]["_errors"].as_array().unwrap();
        assert_eq!(errors.len(), 1, "{body}");
    }
    assert_eq!(app.set_endpoint(json!(app.url)).await.1["interactions_endpoint_url"], app.url);
    assert_eq!(app.last()["type"], 1, "a PING");
    // Other settings leave it.
    let (_, shown) = app.bot(Method::PATCH, "/applications/@me", json!({ "description": "x" })).await;
    assert_eq!(shown["interactions_endpoint_url"], app.url);
    assert_eq!(app.set_endpoint(Value::Null).await.1["interactions_endpoint_url"], Value::Null);
    app.accepts_anything();
    assert_eq!(app.set_endpoint(json!(app.url)).await.0, 400, "it accepts wrong signatures");
}

#[tokio::test]
async fn settings_of_the_application_are_set_by_control() {
    let app = App::without_endpoint().await;
    let redirects = json!(["http://127.0.0.1/console/sign-in/callback"]);
    let (status, _) = app.peer.post("/control/application", json!({ "redirect_uris": redirects })).await;
    assert_eq!(status, 204);
    let (_, shown) = app.bot(Method::GET, "/applications/@me", Value::Null).await;
    assert_eq!(shown["redirect_uris"], redirects);
    let url = "http://127.0.0.1:1/chat/interactions";
    let set = async |url: &str| {
        app.peer.post("/control/application", json!({ "interactions_endpoint_url": url })).await.0
    };
    assert_eq!((set("nowhere").await, set(url).await), (400, 204));
    let (_, shown) = app.bot(Method::GET, "/applications/@me", Value::Null).await;
    assert_eq!((&shown["interactions_endpoint_url"], &shown["redirect_uris"]), (&json!(url), &redirects));
}

#[tokio::test]
async fn a_command_arrives_with_all_fields() {
    let app = App::start().await;
    let mut typed = ban();
    typed["options"] = json!({ "user": chat(1), "reason": "x", "days": 3, "silent": "true",
                               "role": OFFICER_ROLE.to_string(), "kind": "short" });
    app.answers(200, json!({ "type": 4, "data": { "content": "done" } }));
    let report = app.interact(typed).await;
    assert_eq!((&report["status"], &report["answer"]["type"]), (&json!(200), &json!(4)), "{report}");
    assert!(report["took_ms"].is_u64());
    let sent = app.last();
    let names = ["user", "reason", "days", "silent", "role", "kind"];
    let kinds = [6, 3, 4, 5, 8, 3];
    let values =
        [json!(chat(1)), json!("x"), json!(3), json!(true), json!(OFFICER_ROLE.to_string()), json!("short")];
    let options = names.iter().zip(kinds).zip(values);
    let options: Vec<Value> =
        options.map(|((name, kind), value)| json!({ "name": name, "type": kind, "value": value })).collect();
    assert_eq!(sent["data"]["options"], json!(options));
    let resolved = &sent["data"]["resolved"];
    let id = chat(1).to_string();
    assert_eq!(resolved["users"][&id]["id"], json!(chat(1)));
    assert_eq!(
        (&resolved["members"][&id]["nick"], resolved["members"][&id].get("user")),
        (&json!("m1"), None)
    );
    assert_eq!(resolved["roles"][OFFICER_ROLE.to_string()]["name"], "r2");
    let guild = GUILD.to_string();
    assert_eq!((&sent["guild_id"], &sent["channel_id"]), (&json!(guild), &json!(guild)));
    assert_eq!((&sent["channel"]["name"], &sent["guild"]["id"]), (&json!("general"), &json!(guild)));
    let everything = ((1_u64 << 53) - 1).to_string();
    assert_eq!(sent["member"]["permissions"], everything, "the owner");
    assert_eq!(sent["authorizing_integration_owners"], json!({ "0": guild }));
    for (field, value) in [("context", json!(0)), ("entitlements", json!([])), ("version", json!(1))] {
        assert_eq!(sent[field], value, "{field}");
    }
    let parsed: Interaction = serde_json::from_value(sent.clone()).unwrap();
    assert_eq!(parsed.kind, InteractionType::ApplicationCommand);
    let Some(InteractionData::ApplicationCommand(data)) = parsed.data else { panic!("{sent}") };
    assert_eq!((data.name.as_str(), data.options.len(), data.resolved.is_some()), ("ban", 6, true));
}

#[tokio::test]
async fn a_subcommand_holds_the_options() {
    let app = App::start().await;
    app.answers(200, json!({ "type": 5 }));
    app.interact(json!({ "guild_id": GUILD.to_string(), "command": "setup button" })).await;
    let sent = app.last();
    assert_eq!(sent["data"]["options"], json!([{ "name": "button", "type": 1, "options": [] }]));
    assert_eq!(sent["data"]["name"], "setup");
}

#[tokio::test]
async fn what_a_person_cannot_type_names_the_field() {
    let app = App::start().await;
    let cases = [
        (json!({ "command": "ban" }), "guild_id"),
        (json!({ "guild_id": "3", "command": "ban" }), "guild_id"),
        (json!({ "command": "nothing" }), "command"),
        (json!({ "command": "setup" }), "command"),
        (json!({ "command": "setup panel" }), "command"),
        (json!({}), "command"),
        (json!({ "command": "ban", "press": "x" }), "command"),
        (json!({ "command": "ban" }), "options: user is required"),
        (json!({ "command": "ban", "options": { "user": "5" } }), "options: user"),
        (json!({ "command": "ban", "options": { "user": chat(1), "days": "x" } }), "options: days"),
        (json!({ "command": "ban", "options": { "user": chat(1), "days": 8 } }), "options: days"),
        (json!({ "command": "ban", "options": { "user": chat(1), "kind": "long" } }), "options: kind"),
        (json!({ "command": "ban", "options": { "user": chat(1), "other": 1 } }), "options"),
        (json!({ "command": "ban", "options": { "user": chat(1) }, "channel_id": "5" }), "channel_id"),
        (json!({ "command": "ban", "options": { "user": chat(1) }, "user_id": chat(9) }), "user_id"),
        (json!({ "press": "x", "message_id": "5" }), "message_id"),
        (json!({ "submit": "x", "interaction_id": "5" }), "interaction_id"),
        (json!({ "surprise": 1 }), "surprise"),
    ];
    for (index, (mut form, field)) in cases.into_iter().enumerate() {
        for (name, value) in [("guild_id", json!(GUILD.to_string())), ("user_id", json!(chat(0)))] {
            if form.get(name).is_none() && !(index == 0 && name == "guild_id") {
                form[name] = value;
            }
        }
        let (status, body) = app.peer.post("/control/interactions", form.clone()).await;
        let message = body["message"].as_str().unwrap_or_default();
        assert!(status == 400 && message.contains(field), "{form}: {status} {message}");
    }
}

#[tokio::test]
async fn flawed_signatures_are_refused_and_shown() {
    let app = App::start().await;
    for flaw in ["wrong_signature", "no_signature", "old_timestamp", "changed_body", "other_key"] {
        let mut form = ban();
        form["flaw"] = json!(flaw);
        let report = app.interact(form).await;
        assert_eq!(report["status"], 401, "{flaw}: {report}");
        assert_eq!(app.seen(&report).await["failed"], "answered 401", "{flaw}");
    }
    app.answers(200, json!({ "type": 4, "data": { "content": "once" } }));
    app.answers(401, json!({}));
    let mut twice = ban();
    twice["flaw"] = json!("replayed");
    let report = app.interact(twice).await;
    assert_eq!((&report["status"], &report["statuses"]), (&json!(200), &json!([200, 401])));
    assert_eq!(app.seen(&report).await["content"], "once");
}
