//! The application's commands: all at once, for all guilds or for one.

use std::collections::HashMap;

use entities::GuildId;
use serde_json::{Map, Value, json};

use crate::command_form;
use crate::endpoints::guild::{guild_id, settle, unknown_guild};
use crate::form;
use crate::reply::Reply;
use crate::route::Input;
use crate::simulator::Simulator;
use crate::snowflake::Snowflake;
use crate::state::{BOT_USER, SimulatorState};

const MAX_COMMANDS: usize = 100;

pub(crate) fn list(simulator: &Simulator, input: &Input) -> Reply {
    let state = simulator.state();
    settle(scope(&state, input).map(|scope| {
        let known = state.conversations.commands.get(&scope);
        Reply::ok(known.cloned().unwrap_or_default().into())
    }))
}

/// Replaces all commands; one of the same name keeps its id.
pub(crate) fn overwrite(simulator: &Simulator, input: &Input) -> Reply {
    let mut state = simulator.state_mut();
    settle(scope(&state, input).and_then(|scope| {
        let body = serde_json::from_slice(&input.body);
        let body: Value =
            body.map_err(|_| Reply::chat_error(400, 50109, "The request body contains invalid JSON."))?;
        let given = body.as_array().ok_or_else(|| form::invalid("", form::not_a_list()))?;
        if given.len() > MAX_COMMANDS {
            return Err(Reply::chat_error(
                400,
                30032,
                "Maximum number of application commands reached (100)",
            ));
        }
        command_form::check(given)?;
        let conversations = &mut state.conversations;
        let former = conversations.commands.remove(&scope).unwrap_or_default();
        let ids: HashMap<&str, &Value> =
            former.iter().filter_map(|command| Some((command["name"].as_str()?, &command["id"]))).collect();
        let version = conversations.new_id();
        let made = given.iter().filter_map(Value::as_object).map(|command| {
            let known = command["name"].as_str().and_then(|name| ids.get(name).copied().cloned());
            let id = known.unwrap_or_else(|| json!(conversations.new_id()));
            shown(command, id, version, scope)
        });
        let made: Vec<Value> = made.collect();
        conversations.commands.insert(scope, made.clone());
        Ok(Reply::ok(made.into()))
    }))
}

/// The guild of the path, or all guilds.
fn scope(state: &SimulatorState, input: &Input) -> Result<Option<GuildId>, Reply> {
    if input.param("app") != BOT_USER.to_string() {
        let text = "You are not authorized to perform this action on this application";
        return Err(Reply::chat_error(403, 20012, text));
    }
    if input.param("guild").is_empty() {
        return Ok(None);
    }
    let guild = guild_id(input)?;
    state.guilds.contains_key(&guild).then_some(Some(guild)).ok_or_else(unknown_guild)
}

/// With what the platform fills in.
fn shown(command: &Map<String, Value>, id: Value, version: Snowflake, guild: Option<GuildId>) -> Value {
    let given =
        |name: &str, default: Value| command.get(name).filter(|v| !v.is_null()).cloned().unwrap_or(default);
    let mut body = json!({
        "id": id, "application_id": BOT_USER.to_string(), "version": version, "type": given("type", json!(1)),
        "name": command["name"], "name_localizations": given("name_localizations", Value::Null),
        "description": command["description"],
        "description_localizations": given("description_localizations", Value::Null),
        "default_member_permissions": given("default_member_permissions", Value::Null),
        "dm_permission": given("dm_permission", json!(true)), "contexts": given("contexts", Value::Null),
        "integration_types": given("integration_types", json!([0])), "nsfw": given("nsfw", json!(false)),
    });
    if let Some(options) = command.get("options").and_then(Value::as_array).filter(|list| !list.is_empty()) {
        body["options"] = options.iter().map(shown_option).collect();
    }
    if let Some(guild) = guild {
        body["guild_id"] = json!(guild);
    }
    body
}

/// `required` is shown only where it is true.
fn shown_option(option: &Value) -> Value {
    let mut body = option.clone();
    let Some(fields) = body.as_object_mut() else { return body };
    fields.retain(|name, value| !value.is_null() && (name != "required" || *value == true));
    for name in ["name_localizations", "description_localizations"] {
        fields.entry(name).or_insert(Value::Null);
    }
    if let Some(Value::Array(inner)) = fields.get_mut("options") {
        *inner = inner.iter().map(shown_option).collect();
    }
    body
}
