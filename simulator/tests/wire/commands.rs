//! The registration of commands.

use reqwest::Method;
use serde_json::{Value, json};
use twilight_model::application::command::Command;

use crate::application::{App, BOT};
use crate::peer::GUILD;

fn path() -> String {
    format!("/applications/{BOT}/guilds/{GUILD}/commands")
}

fn command(name: &str) -> Value {
    json!({ "name": name, "description": "d" })
}

#[tokio::test]
async fn commands_are_replaced_all_at_once() {
    let app = App::without_endpoint().await;
    let option = |name: &str, required: bool| json!({ "name": name, "description": "o", "type": 3, "required": required });
    let mut ban = command("ban");
    ban["options"] = json!([option("user", true), option("reason", false)]);
    let (status, made) = app.bot(Method::PUT, &path(), json!([ban, command("link")])).await;
    assert_eq!((status, made.as_array().unwrap().len()), (200, 2), "{made}");
    let _: Vec<Command> = serde_json::from_value(made.clone()).unwrap();
    let first = &made[0];
    for (field, value) in [
        ("application_id", json!(BOT)),
        ("guild_id", json!(GUILD.to_string())),
        ("type", json!(1)),
        ("nsfw", json!(false)),
        ("dm_permission", json!(true)),
        ("default_member_permissions", Value::Null),
        ("name_localizations", Value::Null),
    ] {
        assert_eq!(first[field], value, "{field}");
    }
    assert!(first["version"].is_string());
    assert_eq!((&first["options"][0]["required"], first["options"][1].get("required")), (&json!(true), None));
    assert_eq!(app.bot(Method::GET, &path(), Value::Null).await, (200, made.clone()));
    let (_, second) = app.bot(Method::PUT, &path(), json!([command("link")])).await;
    assert_eq!((second.as_array().unwrap().len(), &second[0]["id"]), (1, &made[1]["id"]), "{second}");
    let all = format!("/applications/{BOT}/commands");
    assert_eq!(app.bot(Method::GET, &all, Value::Null).await, (200, json!([])));
    assert_eq!(app.peer.stats().await["commands_put"], 2);
}

#[tokio::test]
async fn wrong_commands_are_refused_with_their_place() {
    let app = App::without_endpoint().await;
    let with = |options: Value| {
        let mut command = command("a");
        command["options"] = options;
        json!([command])
    };
    let option = |name: &str, kind: u64, required: bool| json!({ "name": name, "description": "d", "type": kind, "required": required });
    let many: Vec<Value> = (0..26).map(|n| option(&format!("o{n}"), 3, false)).collect();
    let nested = json!([{ "name": "s", "description": "d", "type": 1, "options": [option("X", 3, false)] }]);
    for (body, place, code) in [
        (json!([command("Ban")]), "/0/name", "APPLICATION_COMMAND_INVALID_NAME"),
        (json!([command("a b")]), "/0/name", "APPLICATION_COMMAND_INVALID_NAME"),
        (json!([command(&"x".repeat(33))]), "/0/name", "BASE_TYPE_BAD_LENGTH"),
        (json!([{ "name": "a" }]), "/0/description", "BASE_TYPE_REQUIRED"),
        (json!([{ "name": "a", "description": "x".repeat(101) }]), "/0/description", "BASE_TYPE_BAD_LENGTH"),
        (json!([command("a"), command("a")]), "/1/name", "APPLICATION_COMMANDS_DUPLICATE_NAME"),
        (json!(["a"]), "/0", "DICT_TYPE_CONVERT"),
        (json!({}), "", "LIST_TYPE_CONVERT"),
        (with(many.into()), "/0/options", "BASE_TYPE_BAD_LENGTH"),
        (
            with(json!([option("a", 3, false), option("b", 3, true)])),
            "/0/options/1/required",
            "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID",
        ),
        (
            with(json!([option("a", 3, false), option("a", 3, false)])),
            "/0/options/1/name",
            "APPLICATION_COMMAND_OPTIONS_NAME_INVALID",
        ),
        (with(json!([option("a", 12, false)])), "/0/options/0/type", "BASE_TYPE_CHOICES"),
        (
            with(json!([option("a", 1, false), option("b", 3, false)])),
            "/0/options",
            "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID",
        ),
        (with(nested), "/0/options/0/options/0/name", "APPLICATION_COMMAND_INVALID_NAME"),
    ] {
        let (status, answer) = app.bot(Method::PUT, &path(), body.clone()).await;
        assert_eq!((status, &answer["code"]), (400, &json!(50035)), "{body}");
        let found = answer.pointer(&format!("/errors{place}/_errors/0/code"));
        assert_eq!(found, Some(&json!(code)), "{body}: {answer}");
    }
    let (status, answer) =
        app.bot(Method::PUT, &path(), (0..101).map(|n| command(&format!("c{n}"))).collect()).await;
    assert_eq!((status, &answer["code"]), (400, &json!(30032)));
}

#[tokio::test]
async fn commands_belong_to_the_application_and_its_guilds() {
    let app = App::without_endpoint().await;
    assert_eq!(app.open(Method::GET, &path(), Value::Null).await.0, 401);
    let (status, other) = app.bot(Method::GET, "/applications/5/commands", Value::Null).await;
    assert_eq!((status, &other["code"]), (403, &json!(20012)));
    let elsewhere = format!("/applications/{BOT}/guilds/5/commands");
    assert_eq!(app.bot(Method::GET, &elsewhere, Value::Null).await.1["code"], 10004);
}
